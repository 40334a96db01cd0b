"""Verify a compiled program: derive it again from its journal and compare."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith import __version__
from worksmith.evals.lm.named import is_own
from worksmith.evals.lm.prices import Prices
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task_filter import conditions
from worksmith.jobs.compiling.compile_plan import with_planner
from worksmith.jobs.measuring.metric import maximizing
from worksmith.jobs.opening.programs import load_program
from worksmith.jobs.opening.restoring import build_agent
from worksmith.jobs.showing.printing import Facts
from worksmith.models.resolve import resolve
from worksmith.optimizers.candidates.undoing import artifact_of
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.fingerprint import Fingerprint
from worksmith.optimizers.compiling.journal import IncompleteJournalError, journal_beside, read_description
from worksmith.optimizers.compiling.models import BANK, Model
from worksmith.optimizers.compiling.plan import BANK_FILE, Plan
from worksmith.optimizers.compiling.verification import derived, differing_parts
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.optimizers.settings import Settings
from worksmith.programs.strategies import strategy
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import validated

if TYPE_CHECKING:
    from worksmith.jobs.settings.compiling import VerifySettings

_NAMED = 8
"""Parts that differ and are named one by one."""


@dataclass(frozen=True)
class Verification(Facts):
    """The result of a verification.

    Attributes:
        derived: the digest of the program that the journal leads to; None if it is incomplete.
        identical: whether that is the program in the file.
        differs: the parts of the program that differ.
        logs: where the journal's logs contradict its replies.
        lacks: the missing part of the journal.
    """

    file: str
    journal: str
    digest: str
    derived: str | None = None
    identical: bool = False
    differs: Sequence[str] = ()
    logs: Sequence[str] = ()
    lacks: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether the program does not follow from its journal."""
        return not self.identical or bool(self.logs)

    def facts(self) -> dict[str, Any]:
        lists = {name: list(getattr(self, name)) for name in ("differs", "logs", "lacks")}
        return {name: lists.get(name, value) for name, value in vars(self).items()}


def verify(settings: VerifySettings, *, progress: Progress = SILENT) -> Verification:
    """Derive a compiled program again from the replies in its journal, without asking a model, and compare.

    Every episode is run and scored again; the results are compared with the journal's logs.
    """
    started = time.perf_counter()
    artifact = Artifact.read(settings.program)
    folder = settings.journal or journal_beside(settings.program)
    plan = _plan(folder, settings)
    found: dict[str, Any]
    try:
        told = artifact.manifest
        prices = Prices(told.prices)
        anew, logs = derived(plan, stopped=told.stopped, limits=told.limits, prices=prices)
        found = {
            "derived": anew.digest,
            "identical": anew.digest == artifact.digest,
            "differs": differing_parts(artifact, anew),
            "logs": logs,
        }
    except IncompleteJournalError as error:
        found = {"lacks": error.lacking}
        progress.say(str(error))
    seconds = round(time.perf_counter() - started, 3)
    result = Verification(str(settings.program), str(folder), artifact.digest, **found, seconds=seconds)
    if result.differs:
        progress.say(f"the journal leads to another program; what differs is {_named(result.differs, ', ')}")
    if result.logs:
        progress.say(f"the journal's logs say otherwise than its replies: {_named(result.logs, '; ')}")
    return result


def _named(every: Sequence[str], between: str) -> str:
    more = len(every) - _NAMED
    return between.join(every[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _plan(folder: Path, settings: VerifySettings) -> Plan:
    """The plan that a journal belongs to."""
    suite, description = settings.suite, read_description(folder)
    if description.fingerprint.get("purpose") != "compile":
        raise InputError("the journal is not of a compile", where=str(folder))
    decided = validated(description.fingerprint, Fingerprint, "a journal's description", where=str(folder))
    if set(decided.metric) - {"maximize", "digest"}:
        raise InputError(
            "judges took part in the compile, and their rubrics are not in its journal",
            where=str(folder),
            hint="such a program cannot be derived again",
        )
    if decided.optimizer not in OPTIMIZERS:
        raise InputError(
            f"no optimizer {decided.optimizer!r} is installed, and a journal may not name a class",
            where=str(folder),
            hint="compile again with its journal and --resume, which asks for nothing twice",
        )
    path = suite or Path(str(description.origin.get("suite", "")))
    if suite is None and not path.exists():
        raise InputError(
            f"the suite is not at {path} any more", where=str(folder), hint="give --suite DIRECTORY"
        )
    opened = Suite.open(path, named_by="" if suite else str(folder))
    if opened.digest != decided.suite["digest"]:
        raise InputError("the program was compiled on another suite", where=str(path))
    start = str(description.origin.get("program", ""))
    return _as_decided(decided, opened, folder, settings, start)


def _as_decided(
    decided: Fingerprint, suite: Suite, folder: Path, settings: VerifySettings, start: str
) -> Plan:
    if "strategy" not in decided.program:
        raise InputError(
            "the program is of a user's module, which a journal may not name",
            where=str(folder),
            hint="compile again with its journal and --resume, which asks for nothing twice",
        )
    named = {role: model.name for role, model in decided.models.items()}
    if own := {name for name in named.values() if is_own(name)} - {*settings.lm}:
        raise InputError(
            f"{min(own)} is user code, which a journal may not name",
            where=str(folder),
            hint=f"if you trust it, name it yourself: --lm {min(own)}",
        )
    if settings.strategy is not None:
        strategy(settings.strategy, project=suite.env.folder)
    # It began as in this file, unless the file has changed since, which its digest shows.
    program = (
        load_program(start, suite.env)
        if start
        else build_agent(decided.program, suite.env, where=str(folder))
    )
    models = {role: Model(name, resolve(name, tasks=suite.tasks)) for role, name in named.items()}
    bank = folder / BANK_FILE
    plan = Plan(
        program=program,
        describes=program.config,
        suite=suite,
        lm=models["lm"],
        # A bank needs no teacher, and the model itself takes the teacher's place.
        teacher=models.get("teacher") or Model(BANK, models["lm"].lm),
        proposer=models.get("proposer"),
        bank=TraceBank.read(bank) if bank.exists() else None,
        optimizer=optimizer(decided.optimizer, Settings.from_json(decided.settings)),
        folder=folder,
        start=artifact_of(program),
        scheme=decided.scheme,
        where=conditions(decided.where),
        workers=settings.workers,
        versions={"worksmith": __version__},
        train_limit=decided.train_limit,
        dev_limit=decided.dev_limit,
    )
    plan = with_planner(plan, models.get("planner"))
    return maximizing(plan, decided.metric.get("maximize", PRIMARY))
