"""Charts of a page, drawn with elements of the page: sharp and legible at any width, in light and dark.

Colour never says anything that a number, a word or a shape does not say as well, and each chart has its
data as a table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evals import markup
from evals.markup import tag
from evals.statistics import Interval
from evals.table import NO_DATA, Grid, percent, share


@dataclass(frozen=True)
class Intervals:
    """Estimates between 0 and 1 as dots on their intervals, one below the other.

    Attributes:
        rows: label, estimate, and whether it is only there for orientation.
        arms: the programs that labels stand for, whose episodes the page shows; none where they do not.
    """

    title: str
    rows: tuple[tuple[str, Interval, bool], ...]
    notes: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()

    def html(self) -> str:
        """The chart, which is a table with a drawn column."""
        arms = self.arms or ("",) * len(self.rows)
        cells = [
            (
                markup.link(label, arm, {}) if arm else markup.text(label),
                _range(estimate, faint=faint),
                markup.text(percent(estimate)),
            )
            for arm, (label, estimate, faint) in zip(arms, self.rows, strict=True)
            if not math.isnan(estimate.value)
        ]
        if not cells:
            return ""
        axis = "".join(tag("span", f"{tick}", style=f"left:{tick}%") for tick in (0, 25, 50, 75, 100))
        cells.append(("", tag("div", axis, class_="axis", aria_hidden="true"), ""))
        table = markup.table(
            self.title, ("", "0 to 100 %", "%, 95 % interval"), cells, markup=True, class_="intervals"
        )
        return markup.section(self.title, table, markup.notes(self.notes))


@dataclass(frozen=True)
class HeatMap:
    """Shares as a table whose cells are the darker the larger they are.

    Attributes:
        rows: label and a share for each column; None without data.
        field: what columns are values of, in the names of `evals.reporting.figures.FIELDS`.
        grid: the same as a table, for where nothing can be drawn.
    """

    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Interval | None, ...]], ...]
    field: str
    notes: tuple[str, ...] = ()
    grid: Grid | None = None

    def html(self) -> str:
        """The table; each cell leads to its episodes."""
        cells = [
            (
                markup.text(label),
                *(self._cell(label, c, v) for c, v in zip(self.columns, row, strict=True)),
            )
            for label, row in self.rows
        ]
        shown = (column.replace("_", " ") for column in self.columns)
        table = markup.table(self.title, (self.first, *shown), cells, markup=True, class_="heat")
        return markup.section(self.title, table, markup.notes(self.notes))

    def _cell(self, arm: str, column: str, value: Interval | None) -> str:
        if value is None or math.isnan(value.value):
            return NO_DATA
        link = markup.link(share(value.value), arm, {self.field: column})
        low, high = (share(x) for x in value[1:3])
        return tag(
            "div",
            link,
            tag("small", f"{low} to {high}, n {value.n}"),
            class_="cell",
            style=f"--heat:{round(value.value * 100)}%",
        )


def _range(estimate: Interval, *, faint: bool) -> str:
    low, middle, high = (
        round(100 * min(1.0, max(0.0, x)), 1) for x in (estimate.low, estimate.value, estimate.high)
    )
    bar = tag("i", style=f"left:{low}%;width:{round(high - low, 1)}%")
    return tag("div", bar, tag("b", style=f"left:{middle}%"), class_="range faint" if faint else "range")
