"""A compile: a plan in, an artifact out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.lm.metering import unmetered
from worksmith.evals.lm.prices import prices_in_use
from worksmith.evals.lm.rewards import give_back_rewards
from worksmith.evals.running.outage import UnscoredError
from worksmith.evals.tasks.transcript import GOLD
from worksmith.optimizers.candidates.building import Configurable
from worksmith.optimizers.candidates.candidate import AS_IT_IS, Candidate
from worksmith.optimizers.candidates.difference import difference
from worksmith.optimizers.candidates.undoing import fitting, made_of, undoing
from worksmith.optimizers.compiling.artifact import Artifact, DemonstrationSource, Manifest
from worksmith.optimizers.compiling.finalize import finalize
from worksmith.optimizers.compiling.plan import BANK_FILE, Plan
from worksmith.optimizers.cost.limits import BudgetSpentError
from worksmith.optimizers.cost.spending import Spent
from worksmith.optimizers.demos.showing import nothing_in_common
from worksmith.optimizers.demos.trace_bank import Gap, NothingTaughtError
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.trial import pareto_front

if TYPE_CHECKING:
    from worksmith.tools.episode_result import Usage


class CompileResult(NamedTuple):
    """The result of a compile.

    Attributes:
        compiled: the program in memory.
        artifact: the program as it is written to disk.
        gaps: the training tasks that gave no demonstration.
        note: a remark on the demonstrations; empty without one.
    """

    compiled: Compiled
    artifact: Artifact
    gaps: tuple[Gap, ...] = ()
    note: str = ""


def compile_program(plan: Plan) -> CompileResult:
    """Compile a program. If the budget is spent before the end, the result is the best program so far.

    Args:
        plan: the program, its tasks, models, optimizer and settings, and the folder of its journal.

    Raises:
        InputError: the plan is contradictory, or `folder` holds an earlier run and `resume` is not set.
        InUseError: another process works in `folder`.
        IncompleteJournalError: models may not be asked, and the journal does not suffice.
        IncumbentLostError: the program as it is lost too many episodes for a comparison.
        NothingTaughtError: no training task gave a demonstration.
        ConstraintsBrokenError: no program keeps the constraints.
        BudgetSpentError: the budget was spent before a program that keeps the constraints was found.
        EvaluationInterrupted: on Ctrl-C; finished episodes are in `folder`.
    """
    started = time.perf_counter()
    plan.check()
    models = {role: model_name(model.lm) for role, model in plan.models().items()}
    with plan.open_journal() as journal:
        if plan.bank is not None:
            plan.bank.write(plan.folder / BANK_FILE)
        context = plan.context(journal)
        with journal.continued(plan.budget):
            try:
                compiled: Compiled | None = plan.optimizer.search(context)
            except BudgetSpentError:
                compiled = None
            except (NothingTaughtError, UnscoredError):
                journal.refuse()
                raise
            final = finalize(context, plan.optimizer, compiled)
    # The program goes on without the journal and the budget of its compile.
    final = replace(final, program=with_models(final.program, unmetered))
    give_back_rewards(final.program)
    manifest = _manifest(plan, models, context, final)
    artifact = Artifact.of(final.program, manifest, _measured(plan, models, journal.replies.paid, started))
    note = nothing_in_common(final.program, final.demonstrations, context.dev)
    return CompileResult(final, artifact, context.gaps, note)


def _manifest(plan: Plan, models: dict[str, str], context: CompileContext, compiled: Compiled) -> Manifest:
    suite, made, kept = plan.suite.manifest, compiled.program, _still_shown(plan, compiled)
    seen = {*(context.proposer.seen if context.proposer else ())}
    if plan.start:
        seen |= {*plan.start.manifest.seen_by_proposer}
    return Manifest(
        program=dict(made.config if isinstance(made, Configurable) else plan.describes),
        candidate=compiled.candidate,
        difference=difference(compiled.candidate, plan.program),
        undo=_undo(plan, compiled),
        start=plan.start.digest if plan.start else "",
        suite={"kind": suite.kind, "origin": suite.origin, "digest": suite.digest},
        scheme=plan.scheme,
        where=tuple(map(str, plan.where)),
        train=tuple(task.id for task in context.train),
        dev=tuple(task.id for task in context.dev),
        lm=compiled.lm or plan.lm.name,
        teacher=plan.teacher.name,
        models=models,
        gold=_follows_gold(plan, context, compiled) or bool(kept and plan.start and plan.start.manifest.gold),
        optimizer=plan.optimizer.name,
        settings=plan.settings.to_json(),
        trials=tuple(trial.to_json() for trial in compiled.trials),
        chosen=compiled.chosen,
        acceptance=dict(compiled.acceptance),
        front=pareto_front(compiled.trials),
        gaps=compiled.gaps,
        cost=_cost(context),
        limits=compiled.limits,
        prices=dict(context.prices.own) if compiled.limits.max_usd else {},
        demonstrations=(*kept, *map(DemonstrationSource.of, compiled.demonstrations)),
        bank=plan.bank.facts() if plan.bank is not None else {},
        seen_by_proposer=tuple(sorted(seen)),
        versions=plan.software(),
        metric=dict(plan.metric.about) if plan.metric else {},
        **_stopped(plan, context),
    )


def _undo(plan: Plan, compiled: Compiled) -> Candidate:
    """What takes the program back to the one before this compile and those before it."""
    before = plan.undo or AS_IT_IS
    bare = made_of(fitting(before, plan.program), plan.program)
    return undoing(compiled.program, bare, before, compiled.candidate)


def _still_shown(plan: Plan, compiled: Compiled) -> tuple[DemonstrationSource, ...]:
    """The demonstrations of the program as it was, if some predictor shows them as before."""
    before = dict(plan.program.named_predictors())
    kept = any(
        part.demos and name in before and part.demos == before[name].demos
        for name, part in compiled.program.named_predictors()
    )
    return plan.start.manifest.demonstrations if plan.start and kept else ()


def _follows_gold(plan: Plan, context: CompileContext, compiled: Compiled) -> bool:
    by_gold = {context.teacher.model} if plan.teacher.name == GOLD else {GOLD} if plan.bank else set()
    if compiled.lm and by_gold:
        return True
    return any(shown.teacher in by_gold for shown in compiled.demonstrations)


def _stopped(plan: Plan, context: CompileContext) -> dict[str, Any]:
    if plan.budget is None or not plan.budget.stopped:
        return {}
    run = context.teacher.cost.episodes + context.student.cost.episodes
    left = max(0, sum(plan.max_episodes().values()) - run)
    return {"stopped": plan.budget.stopped, "undone": {"episodes_at_most": left}}


def _measured(
    plan: Plan, models: Mapping[str, str], paid: Mapping[str, Usage], started: float
) -> dict[str, float]:
    """The facts that differ from run to run: seconds, and the paid cost, which depends on a cache.

    Args:
        models: the full names of all models that were asked, by role.
        paid: for the journal's replies, by the model's name.
        started: the beginning of the compile, by `time.perf_counter`.
    """
    prices = plan.budget.prices if plan.budget is not None else prices_in_use()
    spent = Spent.on_replies(paid, prices)
    priced = all(prices.price(name) is not None for name in models.values())
    return {
        "seconds": round(time.perf_counter() - started, 3),
        "paid_requests": spent.calls,
        "paid_tokens": spent.tokens,
        **({"paid_usd": round(spent.usd, 6)} if priced else {}),
    }


def _cost(context: CompileContext) -> dict[str, dict[str, int]]:
    cost = {"teacher": asdict(context.teacher.cost), "student": asdict(context.student.cost)}
    if context.proposer is not None:
        cost["proposer"] = {"model_calls": context.proposer.meter.calls}
    return cost
