"""Plots: shares against something, in several series, as marks and lines with a legend.

Colour only repeats a number, a word or a shape, and each plot has its data
as a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worksmith.evals.characters import harmless
from worksmith.evals.statistics import Interval
from worksmith.evals.table import Grid, percent, share
from worksmith.tools.seeding import digest


@dataclass(frozen=True)
class Point:
    """A point of a plot; `low` and `high` bound its height, nan without bounds."""

    x: float
    y: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def of(cls, x: float, score: Interval) -> Point:
        return cls(x, score.value, score.low, score.high)

    @property
    def text(self) -> str:
        """The height in percent, with its bounds if it has any."""
        if math.isnan(self.low):
            return share(self.y)
        return percent(Interval(self.y, self.low, self.high, 0))


@dataclass(frozen=True)
class Series:
    """Points under one name and number.

    Attributes:
        marked: whether marks are filled; else they are hollow.
        note: a word about it, for the table.
    """

    name: str
    points: tuple[Point, ...]
    joined: bool = False
    marked: bool = True
    note: str = ""


class Mark(NamedTuple):
    """A drawn mark with the numbers of its series; its place in percent from the left and the bottom."""

    numbers: str
    colour: int
    filled: bool
    left: float
    bottom: float


class Drawing(NamedTuple):
    """A plot on a square of 100 by 100.

    Attributes:
        paths: style class and SVG route of each line.
        ticks: place and label of each tick of the horizontal axis.
    """

    paths: list[tuple[str, str]]
    ticks: tuple[tuple[float, str], ...]
    marks: list[Mark]


@dataclass(frozen=True)
class Plot:
    """Shares (0 to 1, upwards) against something (to the right).

    Attributes:
        description: the chart in a sentence, for readers who do not see it.
        across: the name of the horizontal axis.
        line: points that a dashed line goes through, such as a front.
        steps: whether the horizontal axis counts (1, 2, 3 ...) instead of starting at zero.
        grid: the same as a table, for where nothing can be drawn.
    """

    title: str
    description: str
    across: str
    series: tuple[Series, ...]
    line: tuple[Point, ...] = ()
    steps: bool = False
    notes: tuple[str, ...] = ()
    grid: Grid | None = None

    @property
    def id(self) -> str:
        return f"chart-{digest([harmless(self.title), harmless(self.description)])}"

    @property
    def drawing(self) -> Drawing | None:
        """Lines and marks; None without points."""
        values = [point.x for series in self.series for point in series.points]
        if not values:
            return None
        scale = _Scale.over(values, steps=self.steps)
        paths = [
            path for number, each in enumerate(self.series, start=1) for path in scale.paths(each, number)
        ]
        if len(self.line) > 1:
            paths.append(("front", scale.route(self.line)))
        return Drawing(paths, scale.ticks, _marks(self.series, scale))

    @property
    def data(self) -> Grid:
        """The data as a table, with the number of each series."""
        if self.grid is not None:
            named = [(f"{number}. {row[0]}", *row[1:]) for number, row in enumerate(self.grid.rows, start=1)]
            return Grid(self.grid.title, self.grid.headings, tuple(named))
        noted = any(series.note for series in self.series)
        rows = []
        for number, series in enumerate(self.series, start=1):
            names = (str(number), series.name), (series.note,)
            for point in series.points:
                first, note = names
                rows.append((*first, _number(point.x), point.text, *(note if noted else ())))
                names = ("", ""), ("",)
        headings = ("", "program", self.across, "%, 95 % interval", *(("",) if noted else ()))
        return Grid(f"{self.title}: data", headings, tuple(rows))


@dataclass(frozen=True)
class _Scale:
    """The horizontal axis: the values at its ends, and its ticks."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def over(cls, values: Sequence[float], *, steps: bool) -> _Scale:
        if steps:
            low, high = min(values), max(values)
            low, high = (low - 0.5, high + 0.5) if high - low < 1 else (low - 0.25, high + 0.25)
            shown: Sequence[float] = range(math.ceil(low), math.floor(high) + 1)
            shown = shown[:: max(1, len(shown) // 8)]
        else:
            low, step = 0.0, _step(max(values))
            high = step * max(1, math.ceil(max(values) * 1.05 / step))
            shown = [step * number for number in range(round(high / step) + 1)]
        ticks = tuple((round(100 * (x - low) / (high - low), 2), _number(x)) for x in shown)
        return cls(low, high, ticks)

    def at(self, value: float) -> float:
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    def route(self, points: Sequence[Point]) -> str:
        return "M" + "L".join(f"{self.at(point.x)} {_y(point.y)}" for point in points)

    def paths(self, series: Series, number: int) -> list[tuple[str, str]]:
        """The bounds of all points, and the line through them."""
        found = [
            (f"bound c{_colour(number)}", f"M{self.at(p.x)} {_y(p.low)}V{_y(p.high)}")
            for p in series.points
            if not math.isnan(p.low)
        ]
        return [*found, (f"line c{_colour(number)}", self.route(series.points))] if series.joined else found


_MARK = (5, 8)
"""The width and height of a mark in percent of a plot's."""


def _step(largest: float) -> float:
    """A round distance between ticks that puts about four of them on an axis."""
    if largest <= 0:
        return 1.0
    rough = largest / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(power * nice for nice in (1, 2, 2.5, 5, 10) if power * nice >= rough * 0.999))


def _marks(series: Sequence[Series], scale: _Scale) -> list[Mark]:
    """The marks of all points; points that would cover each other share one."""
    groups: list[list[tuple[int, Point]]] = []
    for number, each in enumerate(series, start=1):
        for point in each.points:
            near = next((group for group in groups if _touch(group[0][1], point, scale)), None)
            if near is None:
                groups.append([(number, point)])
            else:
                near.append((number, point))
    return [
        Mark(
            " ".join(str(number) for number, _ in group),
            _colour(group[0][0]),
            any(series[number - 1].marked for number, _ in group),
            scale.at(group[0][1].x),
            round(100 * group[0][1].y, 1),
        )
        for group in groups
    ]


def _touch(one: Point, other: Point, scale: _Scale) -> bool:
    across, up = abs(scale.at(one.x) - scale.at(other.x)), 100 * abs(one.y - other.y)
    return across < _MARK[0] and up < _MARK[1]


def _y(value: float) -> float:
    return round(100 - 100 * value, 2)


def _colour(number: int) -> int:
    return (number - 1) % 6 + 1


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
