"""Figures that papers publish, as reference rows with their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from worksmith.evals.table import Grid
from worksmith.evals.task_kind import task_kind
from worksmith.tools.files.data_files import read_toml

PAPER = "paper: "
"""The prefix of published rows."""


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    Attributes:
        rows: names with the figures as they are printed.
    """

    paper: str
    number: int
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]

    @property
    def source(self) -> str:
        return (
            f"Rows that begin with “{PAPER.strip()}” are from {self.paper}, table {self.number}, as printed "
            "there: measured by its authors on their tasks, without intervals."
        )

    def figure(self, row: str, column: str) -> float:
        return dict(zip(self.columns, dict(self.rows)[row], strict=True))[column]

    def lines(self) -> list[tuple[str, ...]]:
        """The rows as cells, with `PAPER` before each name."""
        return [(PAPER + name, *(f"{value:g}" for value in values)) for name, values in self.rows]


@cache
def published_tables(kind: str) -> tuple[PublishedTable, ...]:
    """The tables that belong beside suites of a kind."""
    package = task_kind(kind).published
    if not package:
        return ()
    return tuple(
        PublishedTable(
            paper=table["paper"],
            number=table["number"],
            title=table["title"],
            columns=tuple(table["columns"]),
            rows=tuple((row[0], tuple(row[1:])) for row in table["rows"]),
        )
        for table in read_toml(package, "published.toml")["table"]
    )


def beside_published(kind: str, ours: Sequence[Grid]) -> list[Grid]:
    """The published tables of a kind; those with the columns of a table in `ours` stand below its rows."""
    return [_beside(table, ours) for table in published_tables(kind)]


def _beside(table: PublishedTable, ours: Sequence[Grid]) -> Grid:
    same = next((grid for grid in ours if grid.headings[1:] == table.columns), None)
    rows = same.rows if same else ()
    title = f"{table.title}: table {table.number} of {table.paper}"
    return Grid(title, ("", *table.columns), (*rows, *table.lines()), (table.source,))
