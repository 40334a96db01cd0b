"""Tables as data, shown the same in a terminal, in Markdown and in LaTeX."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from worksmith.evals.characters import harmless
from worksmith.evals.statistics import Interval

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table


NO_DATA = "-"
"""The text of a cell without a figure."""

T = TypeVar("T")
Column = tuple[str, Callable[[T], str]]
"""A heading, and the cell of a row below it."""


@dataclass(frozen=True)
class Grid:
    """Cells as text under headings. The first column is the label, the others are figures.

    Attributes:
        notes: sentences that must be read with the figures.
        lead: sentences with the result; they stand above the table.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        rows: Iterable[T],
        *columns: Column[T] | Literal[False] | None,
        notes: tuple[str, ...] = (),
        lead: tuple[str, ...] = (),
    ) -> Grid:
        """A table with a line for each of `rows`.

        Args:
            rows: anything; the columns make cells of it.
            columns: headings, each with the function that makes the cell of a row. False and None leave a
                column out.
        """
        shown = [column for column in columns if column]
        cells = tuple(tuple(cell(row) for _, cell in shown) for row in rows)
        return cls(title, tuple(heading for heading, _ in shown), cells, notes, lead)

    def rich(self) -> RenderableType:
        """For a terminal: the table, and below it the notes at full width.

        If the table is too wide, a figure is above its brackets; columns that still do not fit follow below.
        """
        return _Fitted(self)

    def markdown(self) -> str:
        """For a README or an issue."""
        lines = [f"### {one_line(self.title)}", "", *(f"{one_line(each)}  " for each in self.lead)]
        lines += [""] if self.lead else []
        lines.append(_line(self.headings))
        lines.append(_line(["---" if number == 0 else "---:" for number in range(len(self.headings))]))
        lines.extend(_line(row) for row in self.rows)
        lines.extend(["", *(f"{one_line(note)}  " for note in self.notes)])
        return "\n".join(lines).rstrip() + "\n"

    def latex(self) -> str:
        """For a paper that uses the package booktabs; notes stand below the table."""
        columns = "l" + "r" * (len(self.headings) - 1)
        rows = "".join(_latex_line(row) for row in self.rows)
        notes = "".join(f"\\par\\footnotesize {_latex(note)}\n" for note in self.notes)
        return (
            f"\\begin{{table}}\n\\centering\n\\caption{{{_latex(self.title)}}}\n\\begin{{tabular}}{{{columns}}}\n"
            f"\\toprule\n{_latex_line(self.headings)}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
            f"{notes}\\end{{table}}\n"
        )


@dataclass(frozen=True)
class _Fitted:
    """A grid as wide as its console allows."""

    grid: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.measure import Measurement
        from rich.text import Text

        endless = options.update(max_width=sys.maxsize)

        def fits(table: Table) -> bool:
            return Measurement.get(console, endless, table).maximum <= options.max_width

        yield from (Text(harmless(sentence), style="bold") for sentence in self.grid.lead)
        yield Text(harmless(self.grid.title), style="table.title")
        whole = _table(self.grid, stacked=False)
        yield from [whole] if fits(whole) else _parts(self.grid, fits)
        yield from (Text(harmless(note), style="dim") for note in self.grid.notes)
        yield ""


def _parts(grid: Grid, fits: Callable[[Table], bool]) -> Iterator[Table]:
    """The grid as the fewest tables that fit, each with the labels; one column always fits."""
    start, end = 1, len(grid.headings)
    while start < len(grid.headings):
        table = _table(_columns(grid, start, end), stacked=True)
        if fits(table) or end == start + 1:
            yield table
            start, end = end, len(grid.headings)
        else:
            end -= 1


def _columns(grid: Grid, start: int, end: int) -> Grid:
    """The labels and some of the figures."""
    rows = tuple((row[0], *row[start:end]) for row in grid.rows)
    return Grid(grid.title, (grid.headings[0], *grid.headings[start:end]), rows)


def _table(grid: Grid, *, stacked: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    gap = 0 if stacked else 1  # beside the one that the box leaves
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap, 0, 0))
    for number, heading in enumerate(grid.headings):
        first = number == 0
        justify: Literal["left", "right"] = "left" if first else "right"
        # A name cut in two is hard to read; figures may wrap.
        table.add_column(
            Text(harmless(_stacked_heading(heading) if stacked else heading)),
            justify=justify,
            no_wrap=first,
            overflow="fold",
        )
    for row in grid.rows:
        table.add_row(*(Text(harmless(_stacked(cell) if stacked else cell)) for cell in row))
    return table


def _stacked(cell: str) -> str:
    """A figure above its interval or its count."""
    return re.sub(r" (?=[\[(/])", "\n", cell)


def _stacked_heading(heading: str) -> str:
    """A heading with a line for each of its words; sums stay on one line."""
    return re.sub(r"(?<=-)(?=\w{5})|(?<!\+) (?![%+])", "\n", heading)


def percent(interval: Interval | None) -> str:
    """A share with its interval in percent, e.g. `62.0 [55.1, 68.4]`; a dash without data."""
    if interval is None or math.isnan(interval.value):
        return NO_DATA
    value, low, high = (_hundredths(x) for x in interval[:3])
    return f"{value} [{low}, {high}]"


def points(interval: Interval | None) -> str:
    """A difference of shares in percentage points with its interval and sign."""
    if interval is None or math.isnan(interval.value):
        return NO_DATA
    value, low, high = (f"{100 * x + 0.0:+.1f}" for x in interval[:3])
    return f"{value} [{low}, {high}]"


def share(value: float) -> str:
    """A plain share in percent, e.g. `2.5`."""
    return NO_DATA if math.isnan(value) else _hundredths(value)


def number(value: float | None, digits: int = 1) -> str:
    """A figure with thousands separators; a dash without data."""
    return NO_DATA if value is None or math.isnan(value) else f"{value:,.{digits}f}"


def tokens_shown(value: float, digits: int, estimated: bool) -> str:
    """A number of tokens, marked where some of them were estimated."""
    return f"{'~' if estimated and value else ''}{number(value, digits)}"


def _hundredths(value: float) -> str:
    return f"{100 * value:.1f}"


_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + " \\\\\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def one_line(text: str) -> str:
    """A text for Markdown: on one line, without elements of a page."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", " ".join(harmless(text).split("\n")))
