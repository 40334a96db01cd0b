"""Histories: the candidates that a compile tried, as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.statistics import Interval
from worksmith.evals.table import NO_DATA, Grid, number, percent

if TYPE_CHECKING:
    from worksmith.evals.records.compile_facts import CompileFacts

LONGEST_NAME = 60


@dataclass(frozen=True)
class CandidateScore:
    """The score of a candidate on dev.

    Attributes:
        met: the number of dev tasks that it was tried on.
        race: the verdict of a race; empty without one.
        tokens: mean of an episode; None if unknown.
    """

    name: str
    score: Interval
    met: int
    chosen: bool = False
    race: str = ""
    tokens: float | None = None

    @property
    def label(self) -> str:
        """The name, cut where it is long, and whether it was chosen."""
        name = self.name if len(self.name) <= LONGEST_NAME else self.name[: LONGEST_NAME - 1] + "…"
        return f"{name} (chosen)" if self.chosen else name


@dataclass(frozen=True)
class History:
    """The candidates of one compile, in the order in which they were tried."""

    arm: str
    optimizer: str
    candidates: tuple[CandidateScore, ...]


def histories(compiled: Mapping[str, CompileFacts]) -> list[History]:
    """The compiles of programs, by the labels of the programs."""
    return [
        History(label, tried.optimizer, tuple(_candidate(trial, tried) for trial in tried.trials))
        for label, tried in compiled.items()
    ]


def history_grids(histories: Sequence[History]) -> list[Grid]:
    """A table of the candidates of each compile."""
    return [_grid(history) for history in histories if history.candidates]


def _candidate(trial: Mapping[str, Any], tried: CompileFacts) -> CandidateScore:
    score, race = trial["outcome"], trial.get("race") or {}
    return CandidateScore(
        name=trial["name"],
        score=_interval(score["value"], score["low"], score["high"], score["n"]),
        met=race.get("met", score["n"]),
        chosen=trial["name"] == tried.chosen,
        race=_verdict(race),
        tokens=trial.get("costs", {}).get("used_tokens"),
    )


def _verdict(race: Mapping[str, Any]) -> str:
    """The decision of a race in a few words."""
    if not race:
        return ""
    if "evidence" not in race:
        return str(race.get("verdict", ""))
    had, needed = race["evidence"], race["needed"]
    evidence = f"evidence {number(had, 2)} of the {number(needed, 0)} needed"
    if race.get("accepted"):
        return f"accepted, {evidence}"
    return f"left after {race['met']} tasks, {evidence}" if race.get("left") else f"not accepted, {evidence}"


def _interval(value: float | None, low: float | None, high: float | None, n: int) -> Interval:
    """An interval from the numbers of a manifest; null is nan."""
    first, second, third = (math.nan if part is None else part for part in (value, low, high))
    return Interval(first, second, third, n)


def _grid(history: History) -> Grid:
    raced = any(each.race for each in history.candidates)
    return Grid.of(
        f"{history.arm}: candidates on dev",
        history.candidates,
        ("candidate", lambda each: each.label),
        ("tasks", lambda each: str(each.met)),
        ("outcome, %", lambda each: percent(each.score)),
        any(each.tokens for each in history.candidates)
        and ("tokens an episode", lambda each: number(each.tokens, 0)),
        raced and ("verdict", lambda each: each.race or NO_DATA),
    )
