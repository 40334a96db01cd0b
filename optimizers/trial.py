"""Trials: candidates measured on the dev tasks, and their order."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.records.record import PRIMARY, STRICT, EpisodeRecord
from worksmith.evals.records.rows import interval_row
from worksmith.evals.records.summary import interval_json
from worksmith.evals.running.result import EvalResult
from worksmith.evals.scoring.constraints import broken
from worksmith.evals.scoring.expression import Expression
from worksmith.evals.statistics import NOTHING, Interval, wilson
from worksmith.evals.table import Column, Grid, number, percent
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.settings import Settings
from worksmith.tools.view import Tabular, View

if TYPE_CHECKING:
    import dspy

_TITLE = "Candidates by score and cost"
_NOTE = (
    "*: of those that met the most tasks and keep all constraints, no other one is as good or better in all "
    "of score, tokens and seconds of an episode"
)

_COSTS = ("steps", "model_calls", "prompt_tokens", "completion_tokens", "used_tokens")
"""The costs of episodes that do not depend on a clock."""


class Rank(NamedTuple):
    """The order of trials: first those that keep the constraints, then those with a graded episode.

    Attributes:
        thrift: less than 0 by the mean tokens of an episode; decides between equal scores.
    """

    keeps_constraints: bool
    graded: bool
    score: float
    thrift: float = -math.inf


@dataclass(frozen=True, repr=False)
class Trial:
    """One candidate on the dev tasks.

    Attributes:
        program: the candidate's content address.
        demonstrations: ids of the tasks they solve.
        score: over the graded episodes.
        strict: over all episodes, lost ones counted as 0.
        errors: episodes lost to the infrastructure.
        broken: the constraints that it breaks, each with the measured value.
        result: every episode, if worksmith's runner ran them.
        race: how many tasks it met in a race and why it left, see `worksmith.optimizers.racing.rules.Arm`.
    """

    name: str
    program: str
    demonstrations: tuple[str, ...]
    score: Interval
    strict: Interval
    errors: int
    broken: tuple[str, ...] = ()
    result: EvalResult | None = None
    race: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        result: EvalResult,
        demonstrations: Sequence[Demonstration],
        settings: Settings,
        race: Mapping[str, Any] | None = None,
    ) -> Trial:
        return cls(
            name=name,
            program=result.program,
            demonstrations=tuple(demonstration.task_id for demonstration in demonstrations),
            score=result.summary.scores.get(PRIMARY, NOTHING),
            strict=result.summary.scores.get(STRICT, NOTHING),
            errors=result.summary.errors,
            broken=broken(settings.constraints, result.records),
            result=result,
            race=race,
        )

    @classmethod
    def of_outcomes(
        cls,
        name: str,
        program: str,
        demonstrations: Sequence[Demonstration],
        outcomes: Collection[float | None],
    ) -> Trial:
        """The trial of a program that an optimizer measured itself.

        Args:
            program: the candidate's content address.
            outcomes: 1 or 0 for each dev task, None if the infrastructure failed.
        """
        graded = [outcome for outcome in outcomes if outcome is not None]
        return cls(
            name=name,
            program=program,
            demonstrations=tuple(demonstration.task_id for demonstration in demonstrations),
            score=wilson(sum(graded), len(graded)),
            strict=wilson(sum(graded), len(outcomes)),
            errors=len(outcomes) - len(graded),
        )

    def __repr__(self) -> str:
        return f"Trial({self.name}: {percent(self.strict)} % on {self.strict.n} tasks)"

    @property
    def rank(self) -> Rank:
        """The key by which trials are compared; larger is better."""
        if self.broken or math.isnan(self.score.value):
            return Rank(not self.broken, False, 0.0)
        return Rank(True, True, self.strict.value, -self.cost)

    @property
    def cost(self) -> float:
        """Mean tokens of an episode; infinite where they are not known."""
        return mean_tokens(self.result.records) if self.result else math.inf

    @property
    def seconds(self) -> float:
        """Mean seconds of an episode, which differ from run to run; infinite where they are not known."""
        return fmean(record.seconds for record in self.result.records) if self.result else math.inf

    def to_json(self) -> dict[str, Any]:
        summary = self.result.summary if self.result else None
        optional = {
            "scores": {name: found.value for name, found in summary.scores.items()} if summary else {},
            "costs": {name: summary.means[name] for name in _COSTS if name in summary.means}
            if summary
            else {},
            "broken": list(self.broken),
            "race": dict(self.race) if self.race else {},
        }
        return {
            "name": self.name,
            "program": self.program,
            "demonstrations": list(self.demonstrations),
            "outcome": interval_json(self.score),
            "errors": self.errors,
            **{name: value for name, value in optional.items() if value},
        }


COLUMNS = (
    ("trial", lambda trial: trial.name),
    ("score, %", lambda trial: percent(trial.strict)),
    ("tasks", lambda trial: trial.strict.n),
    ("lost", lambda trial: trial.errors or None),
    ("demonstrations", lambda trial: len(trial.demonstrations)),
    ("tokens", lambda trial: number(_finite(trial.cost), 0)),
    ("breaks", lambda trial: trial.broken),
    ("race", lambda trial: (trial.race or {}).get("left") or (trial.race or {}).get("verdict")),
)
"""What a short table shows of each trial."""


def trial_row(trial: Trial) -> dict[str, Any]:
    """A trial as one row of a frame."""
    race = trial.race or {}
    return {
        "trial": trial.name,
        **interval_row("score", trial.strict),
        "tasks": trial.strict.n,
        "lost": trial.errors,
        "demonstrations": len(trial.demonstrations),
        "tokens": _finite(trial.cost),
        "seconds": _finite(trial.seconds),
        "breaks": ", ".join(trial.broken),
        "accepted": race.get("accepted"),
        "left": race.get("left"),
        "program": trial.program,
    }


def _finite(value: float) -> float | None:
    return None if math.isinf(value) else value


@dataclass(frozen=True)
class Contender:
    """A program that was measured on all dev tasks, so that it may win."""

    program: dspy.Module
    demonstrations: tuple[Demonstration, ...]
    trial: Trial


def pareto_front(trials: Sequence[Trial]) -> tuple[str, ...]:
    """The names of the trials on the front of strict score against tokens an episode, the cheapest first."""
    points = {trial.name: (trial.strict.value, -trial.cost) for trial in _comparable(trials)}
    return tuple(sorted(_undominated(points), key=lambda name: -points[name][1]))


@dataclass(frozen=True, repr=False)
class Pareto(Tabular):
    """Score, tokens and seconds of an episode, by trial.

    Attributes:
        front: the names of the trials that no other one equals or exceeds in all three.
    """

    trials: tuple[Trial, ...]
    front: tuple[str, ...]

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Pareto:
        points = {each.name: (each.strict.value, -each.cost, -each.seconds) for each in _comparable(trials)}
        return cls(tuple(trial for trial in trials if trial.result), tuple(_undominated(points)))

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {
                "name": trial.name,
                "score": interval_json(trial.strict),
                "tokens": _finite(trial.cost),
                "seconds": round(trial.seconds, 3),
                "front": trial.name in self.front,
            }
            for trial in self.trials
        ]

    def table(self) -> Grid:
        return Grid.of(_TITLE, self.trials, *self._columns(), notes=(_NOTE,))

    def _columns(self) -> tuple[Column[Trial], ...]:
        return (
            ("", lambda trial: f"{'* ' if trial.name in self.front else ''}{trial.name}"),
            ("score, %", lambda trial: percent(trial.strict)),
            ("tasks", lambda trial: str(trial.strict.n)),
            ("tokens", lambda trial: number(_finite(trial.cost), 0)),
            ("seconds", lambda trial: number(trial.seconds, 2)),
        )

    def _view(self) -> View:
        return View(_TITLE, {"note": _NOTE}, self.trials, self._columns(), self._row)

    def _row(self, trial: Trial) -> dict[str, Any]:
        return {**trial_row(trial), "front": trial.name in self.front}

    def __str__(self) -> str:
        return self.table().markdown()


def _comparable(trials: Sequence[Trial]) -> list[Trial]:
    """Those whose episodes worksmith's runner ran, that keep all constraints and that met the most tasks.

    An arm that left a race early looks better or worse than it is.
    """
    most = max((trial.strict.n for trial in trials), default=0)
    able = [trial for trial in trials if trial.cost < math.inf and trial.strict.n == most]
    return [trial for trial in able if not trial.broken and not math.isnan(trial.score.value)]


def _undominated(points: Mapping[str, tuple[float, ...]]) -> list[str]:
    """The names of the points that no other one equals or exceeds in everything; of equals the first."""

    def beaten(place: int, point: tuple[float, ...]) -> bool:
        return any(
            all(mine <= theirs for mine, theirs in zip(point, other, strict=True))
            and (other != point or number < place)
            for number, other in enumerate(points.values())
            if number != place
        )

    return [name for place, (name, point) in enumerate(points.items()) if not beaten(place, point)]


def mean_tokens(records: Sequence[EpisodeRecord]) -> float:
    """Mean used tokens of graded episodes; infinite where requests were not counted."""
    graded = [record for record in records if record.graded]
    if not graded or any(record.uncounted for record in graded):
        return math.inf
    return fmean(record.usage.used_tokens for record in graded)


def episode_score(record: EpisodeRecord, maximize: str = PRIMARY) -> float | None:
    """The score by which candidates are compared; None if the infrastructure failed.

    Args:
        maximize: the name of a score, or an expression, see `worksmith.evals.scoring.expression`.
    """
    if not record.graded or maximize == PRIMARY:
        return record.scores.get(PRIMARY) if record.graded else None
    return 0.0 if record.scorer_failed else _expression(maximize).value(record)


_expression = lru_cache(maxsize=8)(Expression)
