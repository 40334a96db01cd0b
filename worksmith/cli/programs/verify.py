"""`worksmith verify`: derive a compiled program anew from its journal and compare."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import JsonFlag, WorkersOption, say

if TYPE_CHECKING:
    from evals.suite import Suite
    from optimizers.compiling.fingerprint import Fingerprint
    from optimizers.compiling.plan import Plan

_NAMED = 8
"""Parts that differ and are named one by one."""


def verify_program(
    program: Annotated[Path, typer.Argument(help="File that `worksmith compile` wrote.", dir_okay=False)],
    suite: Annotated[
        Path | None,
        typer.Option(
            help="The suite it was compiled on.", show_default="the path that was given when it was compiled"
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Its journal.", show_default="PROGRAM.journal", file_okay=False)
    ] = None,
    workers: WorkersOption = 8,
    as_json: JsonFlag = False,
) -> None:
    """Derive a compiled program anew from the model replies in its journal, asking no model, and compare.

    Every episode is run and scored again; the journal's own logs are compared, not believed. Ends with 0 if
    all is the same, with 1 if something differs or the journal lacks something.
    """
    from optimizers.compiling.artifact import Artifact
    from optimizers.compiling.journal import IncompleteJournalError, journal_beside
    from optimizers.compiling.verification import derived, differing_parts
    from worksmith.cli.programs.compile_report import show

    started = time.perf_counter()
    artifact = Artifact.read(program)
    folder = journal or journal_beside(program)
    plan = _plan(folder, suite, workers)
    facts: dict[str, Any] = {"file": str(program), "journal": str(folder), "digest": artifact.digest}
    try:
        anew, logs = derived(plan, stopped=artifact.manifest.stopped)
        facts |= {
            "derived": anew.digest,
            "identical": anew.digest == artifact.digest,
            "differs": differing_parts(artifact, anew),
            "logs": list(logs),
            "lacks": [],
        }
    except IncompleteJournalError as error:
        none: dict[str, Any] = {"derived": None, "identical": False, "differs": [], "logs": []}
        facts |= {**none, "lacks": list(error.lacking)}
        say(str(error))
    facts["seconds"] = round(time.perf_counter() - started, 3)
    show(facts, as_json)
    if facts["differs"]:
        say(f"the journal leads to another program; what differs is {_named(facts['differs'], ', ')}")
    if facts["logs"]:
        say(f"the journal's logs say otherwise than its replies: {_named(facts['logs'], '; ')}")
    if not facts["identical"] or facts["logs"]:
        raise typer.Exit(1)


def _named(every: Sequence[str], between: str) -> str:
    more = len(every) - _NAMED
    return between.join(every[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _plan(folder: Path, suite: Path | None, workers: int) -> Plan:
    """The plan that a journal is of.

    Raises:
        InputError: there is no journal, it is damaged or of something else, or the suite is not where it was.
    """
    from evals.suite import Suite
    from optimizers.compiling.fingerprint import Fingerprint
    from optimizers.compiling.journal import read_description
    from tools.errors import InputError
    from tools.files.json_files import validated

    description = read_description(folder)
    if description.fingerprint.get("purpose") != "compile":
        raise InputError("the journal is not of a compile", where=str(folder))
    decided = validated(description.fingerprint, Fingerprint, "a journal's description", where=str(folder))
    if set(decided.metric) - {"maximize", "digest"}:
        raise InputError(
            "judges took part in the compile, and their rubrics are not in its journal",
            where=str(folder),
            hint="such a program cannot be derived anew",
        )
    path = suite or Path(str(description.origin.get("suite", "")))
    if suite is None and not path.exists():
        raise InputError(
            f"the suite is not at {path} any more", where=str(folder), hint="give --suite DIRECTORY"
        )
    opened = Suite.open(path)
    if opened.digest != decided.suite["digest"]:
        raise InputError("the program was compiled on another suite", where=str(path))
    return _as_decided(decided, opened, folder, workers)


def _as_decided(decided: Fingerprint, suite: Suite, folder: Path, workers: int) -> Plan:
    from evals.records.record import PRIMARY
    from evals.tasks.task_filter import conditions
    from optimizers.compiling.plan import BANK, BANK_FILE, Model, Plan
    from optimizers.demos.trace_bank import TraceBank
    from optimizers.settings import Settings
    from worksmith import __version__
    from worksmith.cli.driving import maximizing
    from worksmith.jobs.compiled import build_agent
    from worksmith.models.resolve import resolve

    program = build_agent(decided.program, suite, where=str(folder))
    named = {role: model.name for role, model in decided.models.items()}
    models = {role: Model(name, resolve(name, tasks=suite.tasks)) for role, name in named.items()}
    bank = folder / BANK_FILE
    plan = Plan(
        program=program,
        describes=program.config,
        suite=suite,
        lm=models["lm"],
        # With a bank nobody teaches, and the model itself stands in the teacher's place.
        teacher=models.get("teacher") or Model(BANK, models["lm"].lm),
        proposer=models.get("proposer"),
        bank=TraceBank.read(bank) if bank.exists() else None,
        optimizer=decided.optimizer,
        settings=Settings.from_json(decided.settings),
        folder=folder,
        scheme=decided.scheme,
        where=conditions(decided.where),
        workers=workers,
        versions={"worksmith": __version__},
        train_limit=decided.train_limit,
        dev_limit=decided.dev_limit,
    )
    return maximizing(plan, decided.metric.get("maximize", PRIMARY))
