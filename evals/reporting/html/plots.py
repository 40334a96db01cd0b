"""Plots of a page: shares against something, in several series, as marks and lines with a legend.

They are drawn as `evals.reporting.html.charts` are: colour never says anything that a number, a word or a
shape does not say as well, and each plot has its data as a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evals import markup
from evals.markup import tag
from evals.statistics import Interval
from evals.table import Grid, percent, share
from tools.seeding import digest


@dataclass(frozen=True)
class Point:
    """A point of a plot; `low` and `high` bound its height, nan for none."""

    x: float
    y: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Series:
    """Points of one name under one number.

    Attributes:
        joined: whether a line goes through them.
        marked: drawn as a filled mark; else hollow.
        note: a word about it, for the table.
    """

    name: str
    points: tuple[Point, ...]
    joined: bool = False
    marked: bool = True
    note: str = ""


@dataclass(frozen=True)
class Plot:
    """Shares (0 to 1, upwards) against something (to the right).

    Attributes:
        tells: what the chart shows, in a sentence, for who does not see it.
        line: points that a dashed line goes through, such as a front.
        steps: whether the horizontal axis counts (1, 2, 3 ...) instead of starting at zero.
        grid: the same as a table, for where nothing can be drawn.
    """

    title: str
    tells: str
    across: str
    series: tuple[Series, ...]
    line: tuple[Point, ...] = ()
    steps: bool = False
    notes: tuple[str, ...] = ()
    grid: Grid | None = None

    def html(self) -> str:
        """The chart, its legend and its data."""
        points = [point for series in self.series for point in series.points]
        if not points:
            return ""
        scale = _Scale.over([point.x for point in points], steps=self.steps)
        drawn = []
        for number, series in enumerate(self.series, start=1):
            drawn.append(_lines(series, scale, number))
        marks = _marks(self.series, scale)
        if len(self.line) > 1:
            drawn.append(_path(self.line, scale, "front"))
        name = f"chart-{digest([markup.text(self.title), markup.text(self.tells)])}"
        svg = tag(
            "svg",
            tag("title", markup.text(self.title), id=f"{name}-title"),
            tag("desc", markup.text(self.tells), id=f"{name}-desc"),
            "".join(f'<path class="grid" d="M0 {y}H100"/>' for y in (0, 25, 50, 75, 100)),
            *drawn,
            viewBox="0 0 100 100",
            preserveAspectRatio="none",
            role="img",
            aria_labelledby=f"{name}-title {name}-desc",
        )
        ticks = "".join(tag("span", f"{y}", class_="y", style=f"bottom:{y}%") for y in (0, 25, 50, 75, 100))
        ticks += "".join(
            tag("span", markup.text(shown), class_="x", style=f"left:{at}%") for at, shown in scale.ticks
        )
        frame = tag("div", svg, tag("div", ticks, *marks, aria_hidden="true", class_="marks"), class_="frame")
        axis = tag("p", f"{markup.text(self.across)} →", class_="across", aria_hidden="true")
        inside = tag("div", frame, axis, class_="plot"), self._legend(), markup.notes(self.notes)
        return markup.section(self.title, *inside, class_="half" if self.grid is None else None)

    def _legend(self) -> str:
        """What each number stands for, with its data."""
        if self.grid is not None:
            named = [(f"{number}. {row[0]}", *row[1:]) for number, row in enumerate(self.grid.rows, start=1)]
            return markup.table(self.grid.title, self.grid.headings, named)
        rows = [
            (
                str(number) if place == 0 else "",
                series.name if place == 0 else "",
                _number(point.x),
                _estimate(point),
                series.note if place == 0 else "",
            )
            for number, series in enumerate(self.series, start=1)
            for place, point in enumerate(series.points)
        ]
        noted = any(row[-1] for row in rows)
        headings = ("", "program", self.across, "%, 95 % interval", *(("",) if noted else ()))
        cells = [row if noted else row[:-1] for row in rows]
        return markup.table(f"{self.title}: data", headings, cells, class_="legend")


@dataclass(frozen=True)
class _Scale:
    """Where values lie on an axis from 0 to 100."""

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


_MARK = (5, 8)
"""The width and height of a mark in percent of a plot's."""


def _step(largest: float) -> float:
    """A round distance between ticks that puts about four of them on an axis."""
    if largest <= 0:
        return 1.0
    rough = largest / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(power * nice for nice in (1, 2, 2.5, 5, 10) if power * nice >= rough * 0.999))


def _marks(series: Sequence[Series], scale: _Scale) -> list[str]:
    """The numbers of all points; points that would cover each other share one mark."""
    groups: list[list[tuple[int, Point]]] = []
    for number, each in enumerate(series, start=1):
        for point in each.points:
            near = next((group for group in groups if _touch(group[0][1], point, scale)), None)
            if near is None:
                groups.append([(number, point)])
            else:
                near.append((number, point))
    return [_mark(group, scale, series) for group in groups]


def _touch(one: Point, other: Point, scale: _Scale) -> bool:
    across, up = abs(scale.at(one.x) - scale.at(other.x)), 100 * abs(one.y - other.y)
    return across < _MARK[0] and up < _MARK[1]


def _mark(group: Sequence[tuple[int, Point]], scale: _Scale, series: Sequence[Series]) -> str:
    number, point = group[0]
    filled = any(series[member - 1].marked for member, _ in group)
    place = f"left:{scale.at(point.x)}%;bottom:{round(100 * point.y, 1)}%"
    names = " ".join(str(member) for member, _ in group)
    return tag("span", names, class_=f"mark c{_colour(number)}" + ("" if filled else " open"), style=place)


def _lines(series: Series, scale: _Scale, number: int) -> str:
    bounds = "".join(
        f'<path class="bound c{_colour(number)}" d="M{scale.at(p.x)} {_y(p.low)}V{_y(p.high)}"/>'
        for p in series.points
        if not math.isnan(p.low)
    )
    return bounds + (_path(series.points, scale, f"line c{_colour(number)}") if series.joined else "")


def _path(points: Sequence[Point], scale: _Scale, class_: str) -> str:
    route = "L".join(f"{scale.at(point.x)} {_y(point.y)}" for point in points)
    return f'<path class="{class_}" d="M{route}"/>'


def _y(value: float) -> float:
    return round(100 - 100 * value, 2)


def _colour(number: int) -> int:
    return (number - 1) % 6 + 1


def _estimate(point: Point) -> str:
    if math.isnan(point.low):
        return share(point.y)
    return percent(Interval(point.y, point.low, point.high, 0))


def _number(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:,.4g}"


def efficient(points: Mapping[str, tuple[float, float]]) -> set[str]:
    """Of things with a cost and a score, those that none beats in one without losing in the other."""
    return {
        name
        for name, (cost, score) in points.items()
        if not any(
            c <= cost and s >= score and (c < cost or s > score)
            for other, (c, s) in points.items()
            if other != name
        )
    }
