"""Move a compiled program to another model: its loss, its useful parts, and a race from there."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.records.groups import by_task, group_records, intents_of
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import NOTHING, Interval, paired_difference
from worksmith.evals.table import points
from worksmith.jobs.compiling.compilation import Compilation, compile
from worksmith.jobs.compiling.forecast import CompileForecast, forecast_compile
from worksmith.jobs.opening.own_programs import own_name
from worksmith.jobs.showing.printing import Printable, escape, facts_table
from worksmith.optimizers.candidates.candidate import TOOLS
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.journal import journal_beside
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.settings import default_over
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.compiling import RecompileSettings

_LISTED = 8
"""The intents that are printed, those with the largest losses."""


@dataclass(frozen=True, repr=False)
class Recompilation(Printable):
    """The result of a move to another model.

    Attributes:
        compilation: the race with the new model.
        dev: by model, the old one first, the dev score of the program as it is.
        difference: the new model's lead on tasks that both have done.
        by_intent: the same for each intent in which it is behind, the largest loss first.
        missing: why these are not known; empty if they are.
        parts: the lead of the program as it is over itself without each part, with the new model.
    """

    compilation: Compilation
    dev: Sequence[Mapping[str, Any]]
    difference: Interval
    by_intent: Mapping[str, Interval]
    missing: str
    parts: Mapping[str, Interval]

    def to_json(self) -> dict[str, Any]:
        worse = [{"intent": name, **interval_json(found)} for name, found in self.by_intent.items()]
        moved = {"dev": list(self.dev), "difference": interval_json(self.difference), "by_intent": worse}
        parts = {name: {**interval_json(gain), "verdict": verdict(gain)} for name, gain in self.parts.items()}
        return {**self.compilation.to_json(), "moved": {**moved, "missing": self.missing}, "parts": parts}

    def print(self, console: Console) -> None:
        self._print_move(console)
        self.compilation.print(console)

    def print_tables(self, console: Console) -> None:
        self._print_move(console)
        self.compilation.print_tables(console)

    def _print_move(self, console: Console) -> None:
        """What the model loses, and what the parts are worth."""
        before, now = ({**each, "name": escape(each["name"]), "errors": 0} for each in self.dev)
        worse = [f"{escape(name)}: {_said(found)}" for name, found in self.by_intent.items()]
        more = [f"and {len(worse) - _LISTED} more intents"] if len(worse) > _LISTED else []
        parts = [f"{escape(name)}: {verdict(gain)}, {_said(gain)}" for name, gain in self.parts.items()]
        known = {"difference": _said(self.difference), "worse_in": [*worse[:_LISTED], *more]}
        facts = {
            "before": before,
            "now": now,
            **({"difference": f"not known: {escape(self.missing)}"} if self.missing else known),
            "parts": parts or "none was measured",
        }
        console.print(facts_table(facts))


def verdict(gain: Interval) -> str:
    """Whether a part helps, by the lead over the program without it."""
    if gain.low > 0:
        return "helps"
    return "harms" if gain.high < 0 else "not shown to matter"


def _said(difference: Interval) -> str:
    return f"{points(difference)} points ({difference.n} tasks)"


def recompile(settings: RecompileSettings, *, progress: Progress = SILENT) -> Recompilation:
    """Race from a compiled program with another model, and write the winner to one file.

    The program as it is stays, unless another one is shown to be better with the new model.

    Raises:
        InputError: a setting is wrong, or a file.
        WorksmithError: see `worksmith.jobs.compiling.compilation.compile`.
    """
    old, settings = _opened(settings)
    found = compile(settings, progress=progress)
    suite = found.artifact.manifest.suite["digest"]
    plain = next((trial for trial in found.trials if trial.name == INCUMBENT), None)
    now = plain.result.records if plain and plain.result else ()
    ours, theirs, missing = by_task(now, PRIMARY), {}, ""
    try:
        theirs = old.scores(suite, ours)
    except InputError as error:
        missing = str(error)
    by_intent = {
        intent: paired_difference(by_task(some, PRIMARY), theirs)
        for intent, some in group_records(now, lambda record: record.intent or record.task_id).items()
    }
    worse = sorted((each for each in by_intent.items() if each[1].value < 0), key=lambda each: each[1].value)
    gains = plain.race.get("gains", {}) if plain and plain.race else {}
    return Recompilation(
        found,
        (
            {"name": old.artifact.manifest.lm, "outcome": old.trial.get("outcome", interval_json(NOTHING))},
            {"name": settings.lm, "outcome": interval_json(plain.score if plain else NOTHING)},
        ),
        paired_difference(ours, theirs, intents_of(now)),
        dict(worse),
        missing,
        {
            name.removeprefix("without "): Interval(*(gain[bound] for bound in ("value", "low", "high", "n")))
            for name, gain in gains.items()
        },
    )


def forecast_recompile(settings: RecompileSettings, *, progress: Progress = SILENT) -> CompileForecast:
    """Forecast what `recompile` takes at most; nothing is written."""
    return forecast_compile(_opened(settings)[1], progress=progress)


class _Old:
    """The file of the program that is moved, and its dev episodes in the journal beside it."""

    def __init__(self, file: Path) -> None:
        self.file, self.artifact = file, Artifact.read(file)

    @property
    def trial(self) -> Mapping[str, Any]:
        told = self.artifact.manifest
        return next((trial for trial in told.trials if trial["name"] == told.chosen), {})

    def scores(self, suite: str, tasks: Collection[Hashable]) -> dict[Hashable, list[float]]:
        """The scores of the program with the old model, by task.

        Raises:
            InputError: it has no scores on these tasks; the message has the reason.
        """
        journal = journal_beside(self.file)
        if self.artifact.manifest.suite.get("digest") != suite:
            raise InputError("the program was compiled on another suite")
        if not journal.is_dir():
            raise InputError("its journal is not beside it", where=str(journal))
        found = by_task(
            (
                record
                for log in sorted(journal.glob("student/*.jsonl"))
                for record in read_log(log)
                if record.digests.program == self.trial.get("program") and record.task_id in tasks
            ),
            PRIMARY,
        )
        if not found:
            raise InputError("its journal has no episode of it on these tasks", where=str(journal))
        return found


def _opened(settings: RecompileSettings) -> tuple[_Old, RecompileSettings]:
    """The old program, and the settings with the parts that may change."""
    own = own_name(settings.program)
    file = own.file if own else Path(settings.program)
    if file is None:
        raise InputError(
            "the program is not compiled",
            where=settings.program,
            hint="give package.module:factory@FILE, or compile it with `worksmith compile --program`",
        )
    if settings.out.resolve() == file.resolve():
        raise InputError("the program that is moved lies there", where=str(file), hint="name another --out")
    old = _Old(file)
    undo, proposing = old.artifact.manifest.undo, settings.proposer is not None
    default = default_over(proposing=proposing)
    its = ["form" if part == "prompt" else part for part in undo.to_json() if part != TOOLS]
    over = settings.over or tuple(dict.fromkeys((*default, *its)))
    return old, settings.model_copy(update={"over": over})
