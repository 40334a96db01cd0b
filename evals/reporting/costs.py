"""Cost against quality: what a point of the score costs, and which programs give most for it."""

from __future__ import annotations

import math
from collections.abc import Callable

from evals.records.record import PRIMARY
from evals.reporting.html.plots import Plot, Point, Series, efficient
from evals.reporting.tables.costs import dollars_an_episode
from evals.running.study import Row, Study

_COSTS: tuple[tuple[str, str, Callable[[Row], float | None]], ...] = (
    ("used tokens", "used tokens an episode", lambda row: row.summary.means.get("used_tokens")),
    ("dollars", "dollars an episode", lambda row: dollars_an_episode(row.result)),
    ("model calls", "model calls an episode", lambda row: row.summary.means.get("model_calls")),
)


def front_plots(study: Study) -> list[Plot]:
    """The outcome against each cost that is known of all programs; baselines are on no front."""
    rows = [row for row in study.ordered if PRIMARY in row.summary.scores]
    plots = []
    for name, across, cost in _COSTS:
        found = [(row, value) for row in rows if (value := cost(row)) is not None]
        if len(found) == len(rows) and len(rows) > 1 and any(value for _, value in found):
            plots.append(_plot(name, across, found))
    return plots


def _plot(name: str, across: str, found: list[tuple[Row, float]]) -> Plot:
    places = {
        row.arm.label: (cost, row.summary.scores[PRIMARY].value)
        for row, cost in found
        if not row.arm.baseline and not math.isnan(row.summary.scores[PRIMARY].value)
    }
    best = efficient(places)
    series = tuple(_series(row, cost, row.arm.label in best) for row, cost in found)
    front = sorted(places[label] for label in best)
    return Plot(
        title=f"Outcome against {name}",
        tells=f"The outcome of each program against its {across}. On the front: {', '.join(sorted(best))}.",
        across=across,
        series=series,
        line=tuple(Point(cost, score) for cost, score in front),
        notes=("On the front: no other program scores as much for less, or more for as much.",),
    )


def _series(row: Row, cost: float, best: bool) -> Series:
    score = row.summary.scores[PRIMARY]
    note = "baseline" if row.arm.baseline else "on the front" if best else ""
    point = Point(cost, score.value, score.low, score.high)
    return Series(row.arm.label, (point,), marked=best, note=note)
