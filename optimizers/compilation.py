"""The result of a compile, as its program carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.running.result import failed_scorers
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.trial import COLUMNS, Pareto, Trial, trial_row
from worksmith.optimizers.wording import in_python
from worksmith.tools.view import Tabular, View

if TYPE_CHECKING:
    from worksmith.optimizers.compiling.artifact import Artifact
    from worksmith.optimizers.compiling.compile import CompileResult


@dataclass(frozen=True, repr=False)
class Compilation(Tabular):
    """What a compile found.

    Attributes:
        trials: the programs that were measured on the tasks to choose by, with intervals and episodes.
        chosen: the name of the trial that the program comes from; None if nothing was measured.
        acceptance: the remark on a program that was not tested; the results of a race are in its trials.
        cost: episodes, model calls and tokens of teacher and student.
        difference: the changes of the program in the student, for readers.
        gaps: why training examples gave no demonstration, with counts.
        stopped: the limit of the budget that ended the compile; empty without one.
        notes: remarks, such as the models that were taken by default.
        artifact: the program as a file; `save` writes it to a file with all this.
        run_id: of the run in MLflow; None if it was not tracked.
    """

    trials: tuple[Trial, ...]
    chosen: str | None
    acceptance: Mapping[str, Any]
    cost: Mapping[str, Mapping[str, int]]
    difference: str
    gaps: Mapping[str, int]
    stopped: str
    notes: tuple[str, ...]
    artifact: Artifact
    run_id: str | None = None

    @classmethod
    def of(cls, result: CompileResult, *, notes: tuple[str, ...] = (), run_id: str | None = None) -> Self:
        manifest = result.artifact.manifest
        return cls(
            trials=result.compiled.trials,
            chosen=result.compiled.chosen,
            acceptance=result.compiled.acceptance,
            cost=manifest.cost,
            difference=manifest.difference,
            gaps=manifest.gaps,
            stopped=manifest.stopped,
            notes=(*notes, *filter(None, (result.note,))),
            artifact=result.artifact,
            run_id=run_id,
        )

    def save(self, path: Path | str) -> None:
        """Write the program and these facts to one file, as `worksmith compile` does."""
        self.artifact.write(Path(path))

    @property
    def pareto(self) -> Pareto:
        """Score, tokens and seconds of all candidates, to print."""
        return Pareto.of(self.trials)

    def __str__(self) -> str:
        """All of it, with the whole difference of the program."""
        lines = [
            f"{'*' if trial.name == self.chosen else ' '} {trial.name:24} {100 * score.value:5.1f} % "
            f"[{100 * score.low:.1f}, {100 * score.high:.1f}] of {score.n}"
            for trial in self.trials
            for score in (trial.strict,)
        ]
        stopped = f"the budget ended the compile ({self.stopped})" if self.stopped else ""
        said = [in_python(each) for each in (*self._found(), stopped) if each]
        return "\n".join([*said, *lines, *filter(None, [self.difference]), *self.notes])

    def __repr__(self) -> str:
        return self._view().text()

    def _found(self) -> tuple[str, str]:
        """The errors of the metric and the decision, in a sentence each."""
        records = (record for trial in self.trials if trial.result for record in trial.result.records)
        races = {trial.name: trial.race or {} for trial in self.trials}
        return failed_scorers(records), decided(self.acceptance, self.chosen, races)

    def _view(self) -> View:
        failed, claim = map(in_python, self._found())
        spent = {
            who: f"{cost.get('episodes', 0):,} episodes, {cost.get('model_calls', 0):,} model calls, "
            f"{cost.get('prompt_tokens', 0) + cost.get('completion_tokens', 0):,} tokens"
            for who, cost in self.cost.items()
        }
        facts = {
            "wrong": failed,
            "decision": claim,
            "stopped": self.stopped,
            "changes": self.difference,
            "notes": " ".join(self.notes),
            "no demonstration": self.gaps,
            **spent,
        }
        marked = ("", lambda trial: "chosen" if trial.name == self.chosen else "")
        title = f"Compilation of {len(self.trials)} candidates, chosen: {self.chosen}"
        return View(title, facts, self.trials, (*COLUMNS, marked), self._row)

    def _row(self, trial: Trial) -> dict[str, Any]:
        return {**trial_row(trial), "chosen": trial.name == self.chosen}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def decided(acceptance: Mapping[str, Any], chosen: str | None, races: Mapping[str, Mapping[str, Any]]) -> str:
    """The decision of a compile in words; empty if nothing was compared.

    Args:
        races: the results of a race for each trial, by name.
    """
    race = races.get(chosen or "")
    if chosen == INCUMBENT and not acceptance:
        tried = "no candidate is shown to be better" if len(races) > 1 else "nothing else was tried"
        return f"kept the program as it is: {(race or {}).get('said') or tried}"
    if acceptance or not race:
        return str(acceptance.get("said", ""))
    flattered = ""
    if optimism := race.get("optimism"):
        dev, corrected = (f"{100 * optimism[name]:.1f} %" for name in ("dev", "corrected"))
        flattered = f"; its dev score of {dev} is the best of several, such a choice is worth {corrected}"
    if not race.get("accepted"):
        return f"took {chosen}{flattered}"
    facts = f"on {race['intents']} intents (evidence {race['evidence']:.3g} of {race['needed']:g} needed)"
    return f"took {chosen}: it is better than the program as it is {facts}{flattered}"
