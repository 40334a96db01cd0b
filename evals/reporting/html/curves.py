"""Curves: how reliability falls with the number of attempts, and how a compile got to its program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evals.reporting.html.charts import Intervals
from evals.reporting.html.plots import Plot, Point, Series
from evals.running.study import Study
from evals.statistics import Interval
from evals.table import NO_DATA, Grid, percent

LONGEST_NAME = 60


@dataclass(frozen=True)
class CandidateScore:
    """What a candidate of a compile scored on dev.

    Attributes:
        met: how many dev tasks it was tried on.
        race: what a race decided about it; empty without one.
        tokens: an episode took; None where that is not known.
        efficient: whether no other scores as much for less, or more for as much.
    """

    name: str
    score: Interval
    met: int
    chosen: bool = False
    race: str = ""
    tokens: float | None = None
    efficient: bool = False


@dataclass(frozen=True)
class History:
    """The candidates of one compile, in the order in which they were tried."""

    arm: str
    optimizer: str
    candidates: tuple[CandidateScore, ...]


def attempt_plot(study: Study) -> list[Plot]:
    """pass^k of each candidate over k; none where tasks were attempted once."""
    series = tuple(
        Series(
            row.arm.label,
            tuple(
                Point(k, chance.value, chance.low, chance.high) for k, chance in row.summary.pass_hat.items()
            ),
            joined=True,
        )
        for row in study.ordered
        if row.summary.pass_hat and not row.arm.baseline
    )
    if not series:
        return []
    most = max(int(point.x) for each in series for point in each.points)
    tells = f"The chance that all of k attempts at a task succeed, for k from 1 to {most}, of each program."
    title = "pass^k: the chance that all of k attempts succeed"
    grid = _attempt_grid(study, most)
    return [Plot(title, tells, "attempts (k)", series, steps=True, grid=grid)]


def _attempt_grid(study: Study, most: int) -> Grid:
    rows = tuple(
        (row.arm.label, *(percent(row.summary.pass_hat.get(k)) for k in range(1, most + 1)))
        for row in study.ordered
        if row.summary.pass_hat and not row.arm.baseline
    )
    return Grid("pass^k by k, %", ("program", *(str(k) for k in range(1, most + 1))), rows)


def history_blocks(histories: Sequence[History]) -> list[Intervals | Plot | Grid]:
    """What each compile tried: charts of the candidates' dev scores and costs, and a table."""
    blocks: list[Intervals | Plot | Grid] = []
    for history in histories:
        if not history.candidates:
            continue
        title = f"{history.arm}: candidates on dev"
        rows = tuple((_name(each), each.score, not each.chosen) for each in history.candidates)
        blocks.append(Intervals(title, rows, ("A filled dot is the program that was chosen.",)))
        blocks += _cost_plot(history)
        if any(each.race for each in history.candidates):
            blocks.append(_race_grid(history))
    return blocks


def _cost_plot(history: History) -> list[Plot]:
    """The candidates' dev scores against tokens; none where those are not known of two."""
    series, line = [], []
    for each in history.candidates:
        if each.tokens is None or math.isnan(each.score.value):
            continue
        point = Point(each.tokens, each.score.value, each.score.low, each.score.high)
        note = "on the front" if each.efficient else ""
        series.append(Series(_name(each), (point,), marked=each.efficient, note=note))
        line += [point] if each.efficient else []
    if len(series) < 2 or not any(each.points[0].x for each in series):
        return []
    names = ", ".join(each.name for each in series if each.marked)
    return [
        Plot(
            title=f"{history.arm}: candidates, score against tokens",
            tells=f"The dev score of each candidate against its tokens an episode. On the front: {names}.",
            across="tokens an episode",
            series=tuple(series),
            line=tuple(sorted(line, key=lambda point: point.x)),
            notes=("On the front: no other candidate scores as much for less, or more for as much.",),
        )
    ]


def _race_grid(history: History) -> Grid:
    rows = tuple(
        (_name(each), str(each.met), percent(each.score), each.race or NO_DATA) for each in history.candidates
    )
    return Grid(f"{history.arm}: the race", ("candidate", "dev tasks met", "outcome, %", "verdict"), rows)


def _name(candidate: CandidateScore) -> str:
    name = candidate.name if len(candidate.name) <= LONGEST_NAME else candidate.name[: LONGEST_NAME - 1] + "…"
    return f"{name} (chosen)" if candidate.chosen else name


def interval_of(value: float | None, low: float | None, high: float | None, n: int) -> Interval:
    """An interval from what a manifest keeps of one; null is no number."""

    def known(part: float | None) -> float:
        return math.nan if part is None else part

    return Interval(known(value), known(low), known(high), n)
