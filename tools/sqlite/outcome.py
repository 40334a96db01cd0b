"""Outcomes: what an episode changed, in a form that two episodes can be compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import apsw

from worksmith.tools.sqlite.cells import CellValue, shown_cell
from worksmith.tools.sqlite.schema import Table

Operation = Literal["insert", "update", "delete"]

Cell = tuple[str, int, str]
"""A table, a position in it, a column."""

_DIGITS = 12
"""Of a float that count: 0.1 + 0.2 is 0.3."""

_REWRITTEN = "(rewritten)"
"""Stands in a key for whatever an update wrote into a column of free text."""


@dataclass(frozen=True)
class RowChange:
    """What happened to one row.

    Attributes:
        table: its table.
        operation: `insert`, `update` or `delete`.
        row: its position in the table; that of a new row says only in which order they were made.
        before: the old cells (all of them for a deleted row, the changed ones for an update).
        after: the new cells (all of them for a new row, the changed ones for an update).
    """

    table: str
    operation: Operation
    row: int
    before: dict[str, CellValue]
    after: dict[str, CellValue]

    def to_json(self) -> dict[str, Any]:
        """The change as JSON-able data."""
        return {
            "table": self.table,
            "operation": self.operation,
            "row": self.row,
            "before": self.before,
            "after": self.after,
        }


class Outcome:
    """The canonical set of row changes that an episode made.

    Two outcomes match when the same old rows are gone, the same cells of old rows have the same new
    values, and the same new rows stand there. Order, positions and generated ids of new rows do not
    count, nor does the wording of free text, nor letter case except where the world kind says so, nor the
    last digits of floats.

    Attributes:
        written: the cells that tools overwrote, also with the value that they had, as far as that is known.
    """

    def __init__(
        self, changeset: bytes, tables: Sequence[Table], written: frozenset[Cell] = frozenset()
    ) -> None:
        self._changeset, self.written = changeset, written
        self.tables = tuple(tables)
        self._tables = {table.name: table for table in tables}

    @property
    def empty(self) -> bool:
        """Whether nothing at all changed."""
        return not self._changeset

    @cached_property
    def changes(self) -> tuple[RowChange, ...]:
        """The changes, deletions and updates by position, then new rows in order of creation."""
        found = [_read(change, self._tables[change.name]) for change in apsw.Changeset.iter(self._changeset)]
        rank = {"update": 0, "delete": 1, "insert": 2}
        return tuple(sorted(found, key=lambda change: (change.table, rank[change.operation], change.row)))

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What `matches` compares; hashable."""
        keys = [key for change in self.changes if (key := change_key(change, self._tables[change.table]))]
        # By repr, because cells may be missing and None has no order; most outcomes are a single change.
        return tuple(sorted(keys, key=repr)) if len(keys) > 1 else tuple(keys)

    def matches(self, other: Outcome) -> bool:
        """Whether both episodes left the world in the same state."""
        return self._changeset == other._changeset or self.key == other.key

    def proposed(self) -> dict[tuple[str, int], set[str]]:
        """The rows, by table and position, that somebody has to approve, each with its written columns.

        An equal value counts: were it left out, one could guess a value that one may not read.
        """
        found: dict[tuple[str, int], set[str]] = {}
        for change in self.changes:
            found[change.table, change.row] = {*change.before, *change.after}
        for table, row, column in self.written:
            found.setdefault((table, row), set()).add(column)
        return dict(sorted(found.items()))

    def to_json(self) -> list[dict[str, Any]]:
        """The changes as JSON-able data."""
        return [change.to_json() for change in self.changes]

    def __repr__(self) -> str:
        said = ", ".join(f"{change.operation} {change.table}" for change in self.changes)
        return f"Outcome({said or 'no changes'})"


def _read(change: apsw.TableChange, table: Table) -> RowChange:
    old, new = change.old or (), change.new or ()
    row = old[0] if old else new[0]
    before, after = _cells(table, old[1:]), _cells(table, new[1:])
    operation: Operation = (
        "update" if change.op == "UPDATE" else "insert" if change.op == "INSERT" else "delete"
    )
    assert isinstance(row, int)
    return RowChange(table.name, operation, row, before, after)


def _cells(table: Table, values: Sequence[Any]) -> dict[str, CellValue]:
    pairs = zip(table.columns, values, strict=bool(values))
    return {c: shown_cell(v, table.type_of(c)) for c, v in pairs if v is not apsw.no_change}


def change_key(change: RowChange, table: Table) -> tuple[Any, ...] | None:
    """What counts of a change when outcomes are compared; None if nothing does."""
    if change.operation == "delete":
        return (table.name, "delete", change.row)
    if change.operation == "insert":
        open_to_choice = (*table.generated, *table.free)
        cells = [(c, _fold(c, v, table)) for c, v in change.after.items() if c not in open_to_choice]
        return (table.name, "insert", tuple(cells))
    cells = [
        (c, _fold(c, v, table))
        for c, v in change.after.items()
        if c in table.free or _fold(c, v, table) != _fold(c, change.before.get(c), table)
    ]
    return (table.name, "update", change.row, tuple(cells)) if cells else None


def _fold(column: str, value: CellValue, table: Table) -> CellValue:
    if value is None or column in table.exact:
        return value
    return _REWRITTEN if column in table.free else folded_cell(value)


def folded_cell(value: CellValue) -> CellValue:
    """A cell for comparisons: a text without letter case, a float without the digits that rounding leaves."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    return value.lower() if isinstance(value, str) else value
