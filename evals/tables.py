"""A table as data, shown the same in a terminal, in Markdown and in HTML."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evals.statistics import Interval
from evals.summary import Rate

if TYPE_CHECKING:
    from rich.console import Group


NO_DATA = "-"
"""What a cell without a figure shows."""


@dataclass(frozen=True)
class Grid:
    """Cells as text under headings. The first column is the label, the others are figures.

    Attributes:
        notes: sentences that must be read with the figures.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def rich(self) -> Group:
        """For a terminal: the table, and below it the notes at full width."""
        from rich import box
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=escape(self.title),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        for number, heading in enumerate(self.headings):
            first = number == 0
            justify: Literal["left", "right"] = "left" if first else "right"
            # A name cut in two is hard to read; figures may wrap.
            table.add_column(escape(heading), justify=justify, no_wrap=first, overflow="fold")
        for row in self.rows:
            table.add_row(*map(escape, row))
        return Group(table, *(Text(note, style="dim") for note in self.notes), "")

    def markdown(self) -> str:
        """For a README or an issue."""
        lines = [f"### {self.title}", ""]
        lines.append(_line(self.headings))
        lines.append(_line(["---" if number == 0 else "---:" for number in range(len(self.headings))]))
        lines.extend(_line([cell.replace("|", "\\|") for cell in row]) for row in self.rows)
        lines.extend(["", *(f"{note}  " for note in self.notes)])
        return "\n".join(lines).rstrip() + "\n"

    def html(self) -> str:
        """For a page; everything is escaped."""
        head = "".join(f"<th>{html.escape(heading)}</th>" for heading in self.headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows
        )
        notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in self.notes)
        return (
            f"<h2>{html.escape(self.title)}</h2><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )


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


def counted(rate: Rate | None) -> str:
    """A rate in percent with the count behind it, e.g. `4.0 (1/25)`; a dash without anything to count."""
    return NO_DATA if rate is None else f"{share(rate.count / rate.of)} ({rate.count}/{rate.of})"


def number(value: float | None, digits: int = 1) -> str:
    """A figure with thousands separators; a dash without data."""
    return NO_DATA if value is None or math.isnan(value) else f"{value:,.{digits}f}"


def _hundredths(value: float) -> str:
    return f"{100 * value:.1f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
