"""A plot of scores against costs, with marks that have numbers, and a table of what the numbers are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from worksmith.evals.characters import harmless
from worksmith.evals.statistics import Interval
from worksmith.evals.table import Grid, share
from worksmith.tools.seeding import digest

_EDGE = 9.0
"""Percent of the plot between an axis and the first value, so that no mark lies on a figure of the axis."""

_MARK = (6, 11)
"""The width and height of a mark in percent of a plot's."""


class CostPoint(NamedTuple):
    """A program in a plot of score against cost.

    Attributes:
        style: `after` for a compiled program, `before` for one that is not, `faint` for a baseline.
        on_front: whether no other program scores as much for less, or more for as much.
    """

    name: str
    cost: float
    score: Interval
    style: str
    on_front: bool


class Mark(NamedTuple):
    """A drawn mark with the numbers of its points; its place in percent from the left and the bottom."""

    numbers: str
    style: str
    left: float
    bottom: float


@dataclass(frozen=True)
class Plot:
    """Scores (0 to 1, upwards) against costs (to the right), with a dashed line along the front.

    Attributes:
        description: the chart in a sentence, for readers who do not see it.
        across: the name of the horizontal axis.
    """

    title: str
    description: str
    across: str
    points: tuple[CostPoint, ...]
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"chart-{digest([harmless(self.title), harmless(self.description)])}"

    @property
    def step(self) -> float:
        """A round distance between ticks that puts about four of them on the axis."""
        largest = max((each.cost for each in self.points), default=0.0)
        if largest <= 0:
            return 1.0
        power = 10.0 ** math.floor(math.log10(largest / 4))
        return float(next(power * nice for nice in (1, 2, 2.5, 5, 10) if power * nice >= largest / 4.004))

    @property
    def across_ticks(self) -> list[tuple[float, str]]:
        return [
            (self._x(self.step * number), _number(self.step * number)) for number in range(self._steps + 1)
        ]

    @property
    def up_ticks(self) -> list[tuple[float, str]]:
        return [(_y(tick / 100), str(tick)) for tick in (0, 25, 50, 75, 100)]

    @property
    def front(self) -> str:
        """The route of the line along the front; empty if it has one point."""
        places = sorted((self._x(each.cost), _y(each.score.value)) for each in self.points if each.on_front)
        return "M" + "L".join(f"{x} {100 - y:g}" for x, y in places) if len(places) > 1 else ""

    @property
    def marks(self) -> list[Mark]:
        """The marks of all points; points that would cover each other share one."""
        groups: list[list[tuple[int, CostPoint]]] = []
        for numbered in enumerate(self.points, start=1):
            near = next((group for group in groups if self._touch(group[0][1], numbered[1])), None)
            if near is None:
                groups.append([numbered])
            else:
                near.append(numbered)
        return [
            Mark(
                f"{group[0][0]}+" if len(group) > 2 else " ".join(str(number) for number, _ in group),
                min((each.style for _, each in group), key=("after", "before", "faint").index),
                self._x(group[0][1].cost),
                _y(group[0][1].score.value),
            )
            for group in groups
        ]

    @property
    def data(self) -> Grid:
        """The points as a table, with their numbers."""
        return Grid.of(
            f"{self.title}: data",
            list(enumerate(self.points, start=1)),
            ("program", lambda each: f"{each[0]}. {each[1].name}"),
            (self.across, lambda each: _number(each[1].cost)),
            ("outcome, %", lambda each: share(each[1].score.value)),
            ("front", lambda each: "yes" if each[1].on_front else ""),
        )

    @property
    def _steps(self) -> int:
        return max(1, math.ceil(max((each.cost for each in self.points), default=0.0) / self.step))

    def _x(self, cost: float) -> float:
        return round(_EDGE + (100 - 2 * _EDGE) * cost / (self.step * self._steps), 2)

    def _touch(self, one: CostPoint, other: CostPoint) -> bool:
        across, up = self._x(one.cost) - self._x(other.cost), _y(one.score.value) - _y(other.score.value)
        return abs(across) < _MARK[0] and abs(up) < _MARK[1]


def _y(share: float) -> float:
    return round(_EDGE + (100 - 2 * _EDGE) * share, 2)


def _number(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:,.4g}"


def efficient(points: Mapping[str, tuple[float, float]]) -> set[str]:
    """The names of the (cost, score) points that no other point beats in one without losing in the other."""
    return {
        name
        for name, (cost, score) in points.items()
        if not any(
            c <= cost and s >= score and (c < cost or s > score)
            for other, (c, s) in points.items()
            if other != name
        )
    }
