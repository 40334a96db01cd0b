"""Plots of a study: the score against cost, and reliability against the number of attempts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.reporting.html.plots import Plot, Point, Series, efficient
from worksmith.evals.reporting.tables.costs import dollars_an_episode
from worksmith.evals.running.study import Row, Study
from worksmith.evals.statistics import Interval
from worksmith.evals.table import Grid, percent

_COSTS: tuple[tuple[str, str, Callable[[Row], float | None]], ...] = (
    ("used tokens", "used tokens an episode", lambda row: row.summary.means.get("used_tokens")),
    ("dollars", "dollars an episode", lambda row: dollars_an_episode(row.result, cached=False)),
    ("model calls", "model calls an episode", lambda row: row.summary.means.get("model_calls")),
)


class CostPoint(NamedTuple):
    """A program or candidate in a plot of score against cost.

    Attributes:
        cost: in the unit of the plot's axis.
        score: the score and its interval, from 0 to 1.
        on_front: whether no other program scores as much for less, or more for as much.
        note: shown beside the point.
    """

    name: str
    cost: float
    score: Interval
    on_front: bool
    note: str = ""


def front_plot(title: str, description: str, across: str, points: Sequence[CostPoint], note: str) -> Plot:
    """A plot of scores against costs, with a line along the front.

    Args:
        across: the label of the axis of costs.
        note: shown below the plot.
    """
    series = tuple(
        Series(
            each.name,
            (Point.of(each.cost, each.score),),
            marked=each.on_front,
            note=each.note or ("on the front" if each.on_front else ""),
        )
        for each in points
    )
    front = sorted((each.cost, each.score.value) for each in points if each.on_front)
    line = tuple(Point(cost, score) for cost, score in front)
    return Plot(title, description, across, series, line, notes=(note,))


def front_plots(study: Study) -> list[Plot]:
    """A plot of the outcome against each cost that is known for all programs; baselines are on no front."""
    rows = [row for row in study.ordered if PRIMARY in row.summary.scores]
    plots = []
    for name, across, cost in _COSTS:
        found = [(row, value) for row in rows if (value := cost(row)) is not None]
        if len(found) == len(rows) and len(rows) > 1 and any(value for _, value in found):
            plots.append(_outcome_plot(name, across, found))
    return plots


def attempt_plot(study: Study) -> list[Plot]:
    """The plot of pass^k over k, with a line for each candidate; empty if tasks were attempted once."""
    rows = [row for row in study.ordered if row.summary.pass_hat and not row.arm.baseline]
    if not rows:
        return []
    series = tuple(
        Series(
            row.arm.label,
            tuple(Point.of(k, chance) for k, chance in row.summary.pass_hat.items()),
            joined=True,
        )
        for row in rows
    )
    counts = range(1, 1 + max(max(row.summary.pass_hat) for row in rows))
    grid = Grid.of(
        "pass^k by k, %",
        rows,
        ("program", lambda row: row.arm.label),
        *((str(k), lambda row, k=k: percent(row.summary.pass_hat.get(k))) for k in counts),
    )
    description = (
        f"The chance that all of k attempts at a task succeed, for k from 1 to {counts[-1]}, of each program."
    )
    title = "pass^k: the chance that all of k attempts succeed"
    return [Plot(title, description, "attempts (k)", series, steps=True, grid=grid)]


def _outcome_plot(name: str, across: str, found: Sequence[tuple[Row, float]]) -> Plot:
    best = efficient(
        {
            row.arm.label: (cost, row.summary.scores[PRIMARY].value)
            for row, cost in found
            if not row.arm.baseline and not math.isnan(row.summary.scores[PRIMARY].value)
        }
    )
    points = [
        CostPoint(
            row.arm.label,
            cost,
            row.summary.scores[PRIMARY],
            row.arm.label in best,
            "baseline" if row.arm.baseline else "",
        )
        for row, cost in found
    ]
    return front_plot(
        f"Outcome against {name}",
        f"The outcome of each program against its {across}. On the front: {', '.join(sorted(best))}.",
        across,
        points,
        "On the front: no other program scores as much for less, or more for as much.",
    )
