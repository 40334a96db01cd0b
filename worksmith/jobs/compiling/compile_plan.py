"""The plan of a compile: programs, models and tasks, opened and checked before a request is paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from worksmith import __version__
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.constraints import constraints
from worksmith.evals.scoring.expression import is_expression, priced
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task_filter import conditions
from worksmith.jobs.measuring.metric import with_metric
from worksmith.jobs.opening.budgets import open_budget, prices_of
from worksmith.jobs.opening.own_programs import module
from worksmith.jobs.opening.programs import (
    give_planner,
    named_program,
    new_agent,
)
from worksmith.jobs.opening.restoring import check_demonstrations
from worksmith.jobs.opening.suites import leave_out_cache, teacher_name
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.claims import too_few_intents
from worksmith.optimizers.compiling.journal import check_folder, discard, journal_beside
from worksmith.optimizers.compiling.models import Model
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.demos.showing import give_demonstrations
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.registry import optimizer, optimizer_class
from worksmith.optimizers.settings import Settings, default_demos, default_over
from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import check_writable

if TYPE_CHECKING:
    import dspy

    from worksmith.jobs.settings.compiling import CompileSettings


def plan_compile(
    settings: CompileSettings, *, progress: Progress = SILENT, forecast: bool = False, aa: bool = False
) -> Plan:
    """Open the suite and the models of a compile and check its settings.

    Args:
        forecast: whether the plan is for a forecast of cost, which writes no file.
        aa: whether the plan is for an A/A check of a race, which compiles nothing.

    Raises:
        InputError: a setting is wrong, or a file.
    """
    leave_out_cache(settings)
    out, begun = settings.out, settings.resume and journal_beside(settings.out).exists()
    # A compile that was killed after it wrote the file is resumed from its journal, and writes it again.
    if out.exists() and not (settings.force or forecast or begun):
        raise InputError("the file is already there", where=str(out), hint="give --force to replace it")
    optimizer_class(settings.optimizer)
    suite = Suite.open(settings.suite)
    # Without an optimizer, or with a bank, no teacher is asked, so its model need not be available.
    taught = settings.optimizer != "none" and settings.bank is None
    lm = _model(settings.lm, suite)
    trained = suite.select(split="train", scheme=settings.scheme, where=conditions(settings.where))
    teacher = _model(teacher_name(settings.teacher, settings.lm, trained, progress), suite) if taught else lm
    bank = TraceBank.read(settings.bank) if settings.bank else None
    proposer = _model(settings.proposer, suite) if settings.proposer else None
    planner = _model(settings.planner_lm, suite) if settings.planner_lm else None
    plan = describe_compile(settings, suite, lm, teacher, bank=bank, proposer=proposer)
    plan = with_planner(plan, planner)
    plan.check()
    if bank is not None:
        shown = give_demonstrations(plan.program, bank.demonstrations)
        check_demonstrations(shown, where=str(settings.bank))
    plan = with_metric(plan, settings, forecast=forecast, progress=progress)
    budget = open_budget(settings, (model.lm for model in plan.models().values()))
    if said := too_few_intents(plan.optimizer, plan.context().dev, race=aa):
        progress.say(said)
    return replace(plan, budget=budget)


def describe_compile(
    settings: CompileSettings,
    suite: Suite,
    lm: Model,
    teacher: Model,
    *,
    without: Sequence[str] = (),
    **means: Any,
) -> Plan:
    """The plan of a compile over an open suite and open models.

    Args:
        without: categories of tools that are removed from the program.
        means: further arguments of the optimizer, such as `bank`.
    """
    races = optimizer_class(settings.optimizer).may_propose
    found: dict[str, Any] = {
        "demos": settings.demos or default_demos(settings.lm),
        "constraints": constraints(settings.constraint),
        "over": settings.over or default_over(proposing=races and settings.proposer is not None),
        "maximize": PRIMARY,
    }
    if is_expression(settings.maximize):
        found["maximize"] = priced(settings.maximize, lm.name, prices_of(settings.prices))
    others = {name: getattr(settings, name) for name in Settings.__dataclass_fields__ if name not in found}
    program, config = _program(settings, suite, without)
    chosen = optimizer(
        settings.optimizer,
        Settings(**found, **others),
        lm=lm,
        teacher=teacher,
        workers=settings.workers,
        journal=journal_beside(settings.out),
        resume=settings.resume,
        **means,
    )
    plan = chosen.plan(
        program,
        suite,
        folder=journal_beside(settings.out),
        describes=config,
        origin={"program": settings.program} if settings.program else {},
        scheme=settings.scheme,
        where=conditions(settings.where),
        train_limit=settings.train_limit,
        dev_limit=settings.dev_limit,
        versions={"worksmith": __version__},
    )
    return replace(plan, time_limit=settings.time_limit)


def with_planner(plan: Plan, planner: Model | None) -> Plan:
    """The plan of a compile whose program has a planner with another model. The teacher plans itself.

    Raises:
        InputError: the program asks no model for a plan.
    """
    if planner is None:
        return plan
    teaching = plan.program.deepcopy()
    program = plan.program.deepcopy()
    give_planner(program, planner.lm)
    return replace(plan, program=program, teaching_program=teaching, planner=planner)


def _program(
    settings: CompileSettings, suite: Suite, without: Sequence[str]
) -> tuple[dspy.Module, Mapping[str, Any]]:
    """The program to compile, and its description."""
    if settings.program is None:
        agent = new_agent(suite, settings, settings.strategy, without=without)
        return agent, agent.config
    opened = named_program(settings.program, suite.env)
    return module(opened.program, settings.program), opened.config


def _model(name: str, suite: Suite) -> Model:
    return Model(name, resolve(name, tasks=suite.tasks))


def check_startable(plan: Plan, settings: CompileSettings, purpose: str) -> None:
    """Check that the job can begin, before a run is opened in MLflow.

    Raises:
        InputError: the file cannot be written, or the journal's folder is of another compile.
    """
    check_writable(settings.out)
    if settings.force and not settings.resume:
        discard(plan.folder)
    check_folder(plan.folder, plan.fingerprint(purpose), resume=settings.resume)
