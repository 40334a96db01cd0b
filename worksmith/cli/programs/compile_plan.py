"""From the options of `worksmith compile` to a plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimizers.compiling.plan import Plan


def plan_of(
    directory: Path,
    work: Path,
    *,
    optimizer: str,
    settings: dict[str, Any],
    models: tuple[str, str],
    bank: Path | None,
    proposer: str | None,
    agent: dict[str, Any],
    limits: tuple[int | None, int | None],
    where: Sequence[str],
    scheme: str,
    workers: int,
    resume: bool,
) -> Plan:
    """The plan of a compile, from what was given on the command line.

    Args:
        work: the folder of its journal.
        models: of the student and the teacher.
        limits: at most so many training and dev tasks.
        where: what they have to be.

    Raises:
        InputError: something that was given is no good.
    """
    from evals.suite import Suite
    from evals.tasks.task_filter import conditions
    from optimizers.compiling.plan import BANK, Model, Plan
    from optimizers.demos.showing import give_demonstrations
    from optimizers.demos.trace_bank import TraceBank
    from optimizers.registry import optimizer as check
    from optimizers.settings import Settings
    from worksmith import __version__
    from worksmith.jobs.compiled import check_shown
    from worksmith.jobs.session import new_agent, scheme_called
    from worksmith.models.resolve import resolve

    check(optimizer)
    suite = Suite.open(directory)
    program = new_agent(suite, **agent)
    # Without an optimizer, or with a bank, nobody teaches, so no teacher has to be there.
    names = (models[0], models[0]) if optimizer == "none" or bank else models
    lm, teacher = (Model(name, resolve(name, tasks=suite.tasks)) for name in names)
    plan = Plan(
        program=program,
        describes=program.config,
        suite=suite,
        lm=lm,
        teacher=Model(BANK, teacher.lm) if bank else teacher,
        bank=TraceBank.read(bank) if bank else None,
        proposer=Model(proposer, resolve(proposer, tasks=suite.tasks)) if proposer else None,
        optimizer=optimizer,
        settings=Settings(**settings),
        folder=work,
        scheme=scheme_called(scheme),
        workers=workers,
        resume=resume,
        versions={"worksmith": __version__},
        where=conditions(where),
        train_limit=limits[0],
        dev_limit=limits[1],
    )
    plan.check()
    if plan.bank is not None:
        check_shown(give_demonstrations(program, plan.bank.demonstrations), where=str(bank))
    return plan
