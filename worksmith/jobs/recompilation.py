"""Move a compiled program to another model: what it loses, which parts still help, and a race from there."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.groups import by_task, group_records, intents_of
from worksmith.evals.records.log import read_log
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import paired_difference
from worksmith.jobs.compilation import Compilation, compile
from worksmith.jobs.forecast import CompileForecast, forecast_compile
from worksmith.jobs.parts.own_programs import own_name
from worksmith.jobs.parts.printing import Printable, escape, facts_table
from worksmith.jobs.parts.progress import SILENT, Progress
from worksmith.optimizers.candidates.candidate import TOOLS
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.journal import journal_beside
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.settings import default_over
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.programs import RecompileSettings

_LISTED = 8
"""The intents that are printed, those with the largest losses."""


@dataclass(frozen=True, repr=False)
class Recompilation(Printable):
    """The result of a move to another model.

    Attributes:
        compilation: the race with the new model.
        moved: the program as it is with both models, by `from_lm`, `to_lm`, `from_dev`, `to_dev`; the paired
            `difference`, and `by_intent` where the new one is worse; or `missing`, which says why not.
        parts: the lead of the program as it is over itself without each of its parts, with the new model;
            `verdict` says whether the part helps, harms, or is not shown to matter.
    """

    compilation: Compilation
    moved: Mapping[str, Any]
    parts: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {**self.compilation.to_json(), "moved": dict(self.moved), "parts": dict(self.parts)}

    def print(self, console: Console) -> None:
        """What the model loses, what the parts are worth, then the compile."""
        told = self.moved
        facts: dict[str, Any] = {
            "before": f"{_said(told['from_dev'])} with {escape(told['from_lm'])}",
            "now": f"{_said(told['to_dev'])} with {escape(told['to_lm'])}",
        }
        if "difference" in told:
            facts["difference"] = _points(told["difference"])
            worst = [f"{escape(each['intent'])}: {_points(each)}" for each in told["by_intent"]]
            more = [f"and {len(worst) - _LISTED} more intents"] if len(worst) > _LISTED else []
            facts["worse in"] = [*worst[:_LISTED], *more]
        else:
            facts["by intent"] = f"not known: {escape(told['missing'])}"
        facts["parts"] = [
            f"{escape(name)}: {each['verdict']}, {_points(each)}" for name, each in self.parts.items()
        ] or "none was measured"
        console.print(facts_table(facts))
        self.compilation.print(console)


def recompile(settings: RecompileSettings, *, progress: Progress = SILENT) -> Recompilation:
    """Race from a compiled program with another model, and write the winner to one file.

    The program as it is stays, unless another one is shown to be better with the new model.

    Raises:
        InputError: a setting is wrong, or a file.
        WorksmithError: see `worksmith.jobs.compilation.compile`.
    """
    old, settings = _opened(settings)
    found = compile(settings, progress=progress)
    trials = {trial.name: trial for trial in found.trials}
    plain = trials.get(INCUMBENT)
    now = plain.result.records if plain and plain.result else ()
    gains = (plain.race or {}).get("gains", {}) if plain else {}
    parts = {
        name.removeprefix("without "): {**gain, "verdict": _verdict(gain)} for name, gain in gains.items()
    }
    return Recompilation(found, _moved(old, found, now), parts)


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
            InputError: there are none on these tasks; says why.
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


def _moved(old: _Old, found: Compilation, now: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """The program as it is with the old and with the new model."""
    manifest = found.artifact.manifest
    dev = {trial["name"]: trial["outcome"] for trial in manifest.trials}
    told = {
        "from_lm": old.artifact.manifest.lm,
        "to_lm": manifest.lm,
        "from_dev": old.trial.get("outcome"),
        "to_dev": dev.get(INCUMBENT),
    }
    ours = by_task(now, PRIMARY)
    try:
        theirs = old.scores(manifest.suite["digest"], ours)
    except InputError as error:
        return {**told, "missing": str(error)}
    by_intent = {
        intent: paired_difference(by_task(some, PRIMARY), theirs)
        for intent, some in group_records(now, lambda record: record.intent or record.task_id).items()
    }
    worse = sorted((each for each in by_intent.items() if each[1].value < 0), key=lambda each: each[1].value)
    return {
        **told,
        "difference": interval_json(paired_difference(ours, theirs, intents_of(now))),
        "by_intent": [{"intent": intent, **interval_json(found)} for intent, found in worse],
    }


def _verdict(gain: Mapping[str, Any]) -> str:
    """Whether a part helps, by the interval of the lead over the program without it."""
    if gain["low"] > 0:
        return "helps"
    return "harms" if gain["high"] < 0 else "not shown to matter"


def _said(outcome: Mapping[str, Any] | None) -> str:
    if outcome is None or outcome["value"] is None:
        return "not measured"
    value, low, high = (100 * outcome[bound] for bound in ("value", "low", "high"))
    return f"{value:.1f} % ({low:.1f}-{high:.1f}) of {outcome['n']} dev tasks"


def _points(difference: Mapping[str, Any]) -> str:
    value, low, high = (100 * difference[bound] for bound in ("value", "low", "high"))
    if difference["n"] == 1:
        return f"{value:+.1f} points on 1 task"
    return f"{value:+.1f} points ({low:+.1f} to {high:+.1f}) on {difference['n']} tasks"
