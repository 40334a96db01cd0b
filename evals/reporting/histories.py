"""Histories: the candidates that a compile tried, as charts and a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.reporting.curves import CostPoint, front_plot
from worksmith.evals.reporting.html.charts import Intervals
from worksmith.evals.reporting.html.plots import Plot
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
        efficient: whether no other scores as much for less, or more for as much.
    """

    name: str
    score: Interval
    met: int
    chosen: bool = False
    race: str = ""
    tokens: float | None = None
    efficient: bool = False

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


def history_blocks(histories: Sequence[History]) -> list[Intervals | Plot | Grid]:
    """Charts of the candidates' dev scores and costs, and a table of each race."""
    blocks: list[Intervals | Plot | Grid] = []
    for history in histories:
        if not history.candidates:
            continue
        title = f"{history.arm}: candidates on dev"
        rows = tuple((each.label, each.score, not each.chosen) for each in history.candidates)
        blocks.append(Intervals(title, rows, ("A filled dot is the program that was chosen.",)))
        blocks += _cost_plot(history)
        if any(each.race for each in history.candidates):
            blocks.append(_race_grid(history))
    return blocks


def _candidate(trial: Mapping[str, Any], tried: CompileFacts) -> CandidateScore:
    score, race = trial["outcome"], trial.get("race") or {}
    return CandidateScore(
        name=trial["name"],
        score=_interval(score["value"], score["low"], score["high"], score["n"]),
        met=race.get("met", score["n"]),
        chosen=trial["name"] == tried.chosen,
        race=_verdict(race),
        tokens=trial.get("costs", {}).get("used_tokens"),
        efficient=trial["name"] in tried.front,
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


def _cost_plot(history: History) -> list[Plot]:
    """The candidates' dev scores against tokens; empty if those of two are unknown."""
    found = [
        CostPoint(each.label, each.tokens, each.score, each.efficient)
        for each in history.candidates
        if each.tokens is not None and not math.isnan(each.score.value)
    ]
    if len(found) < 2 or not any(each.cost for each in found):
        return []
    names = ", ".join(each.name for each in found if each.on_front)
    plot = front_plot(
        f"{history.arm}: candidates, score against tokens",
        f"The dev score of each candidate against its tokens an episode. On the front: {names}.",
        "tokens an episode",
        found,
        "On the front: no other candidate scores as much for less, or more for as much.",
    )
    return [plot]


def _race_grid(history: History) -> Grid:
    return Grid.of(
        f"{history.arm}: the race",
        history.candidates,
        ("candidate", lambda each: each.label),
        ("dev tasks met", lambda each: str(each.met)),
        ("outcome, %", lambda each: percent(each.score)),
        ("verdict", lambda each: each.race or NO_DATA),
    )
