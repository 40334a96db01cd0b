"""Charts that are tables with drawn cells.

Colour only repeats a number, a word or a shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from worksmith.evals.statistics import Interval
from worksmith.evals.table import Grid, percent, share


@dataclass(frozen=True)
class FlippedTasks(Grid):
    """A table of tasks on which two programs differ; each leads to its episodes.

    Attributes:
        requests: the whole request of each row's task.
    """

    requests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Intervals:
    """Estimates between 0 and 1 as dots on their intervals, one below the other.

    Attributes:
        rows: label, estimate, and whether it is only for orientation.
        arms: the program behind each label, whose episodes the page shows; empty without one.
    """

    title: str
    rows: tuple[tuple[str, Interval, bool], ...]
    notes: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()

    @property
    def drawn(self) -> list[DrawnInterval]:
        """The rows with their places in percent; rows without data are left out."""
        arms = self.arms or ("",) * len(self.rows)
        return [
            DrawnInterval.of(label, arm, estimate, faint)
            for arm, (label, estimate, faint) in zip(arms, self.rows, strict=True)
            if not math.isnan(estimate.value)
        ]


class DrawnInterval(NamedTuple):
    """A row of `Intervals`, its places in percent from the left."""

    label: str
    arm: str
    text: str
    faint: bool
    low: float
    middle: float
    width: float

    @classmethod
    def of(cls, label: str, arm: str, estimate: Interval, faint: bool) -> DrawnInterval:
        low, middle, high = (
            round(100 * min(1.0, max(0.0, x)), 1) for x in (estimate.low, estimate.value, estimate.high)
        )
        return cls(label, arm, percent(estimate), faint, low, middle, round(high - low, 1))


class HeatCell(NamedTuple):
    """A drawn cell of a `HeatMap`; `heat` is its darkness from 0 to 100."""

    column: str
    heat: int
    share: str
    detail: str


@dataclass(frozen=True)
class HeatMap:
    """Shares as a table whose cells are the darker the larger they are.

    Attributes:
        rows: label and a share for each column; None without data.
        field: the field that columns are values of, see `worksmith.evals.reporting.episodes.FIELDS`.
        grid: the same as a table, for where nothing can be drawn.
    """

    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Interval | None, ...]], ...]
    field: str
    notes: tuple[str, ...] = ()
    grid: Grid | None = None

    @property
    def headings(self) -> list[str]:
        return [self.first, *(column.replace("_", " ") for column in self.columns)]

    @property
    def drawn(self) -> list[tuple[str, list[HeatCell | None]]]:
        """Each label with its cells; None without data."""
        return [
            (label, [_heat_cell(c, value) for c, value in zip(self.columns, row, strict=True)])
            for label, row in self.rows
        ]


def _heat_cell(column: str, value: Interval | None) -> HeatCell | None:
    if value is None or math.isnan(value.value):
        return None
    low, high = (share(x) for x in value[1:3])
    return HeatCell(column, round(value.value * 100), share(value.value), f"{low} to {high}, n {value.n}")
