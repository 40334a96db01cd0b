"""Outcomes: the changes of an episode, in a form for comparison."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import apsw

from worksmith.tools.sqlite.cells import CellValue, json_text, shown_cell
from worksmith.tools.sqlite.schema import Table

Operation = Literal["insert", "update", "delete"]

Place = tuple[str, int]
"""A table and a position in it."""

Cell = tuple[str, int, str]
"""A table, a position in it, a column."""

_DIGITS = 12
"""Of a float that count: 0.1 + 0.2 is 0.3."""

_REWRITTEN = "(rewritten)"
"""Replaces, in a key, the value that an update wrote into a column of free text."""


@dataclass(frozen=True)
class RowChange:
    """What happened to one row.

    Attributes:
        table: its table.
        operation: `insert`, `update` or `delete`.
        key: the value by which tasks name the row; None without one.
        row: its position in the table; that of a new row has only the order of creation.
        before: the old cells (all of them for a deleted row, the changed ones for an update).
        after: the new cells (all of them for a new row, the changed ones for an update).
    """

    table: str
    operation: Operation
    row: int
    before: dict[str, CellValue]
    after: dict[str, CellValue]
    key: CellValue = None

    def to_json(self) -> dict[str, Any]:
        """The change as JSON-able data."""
        return {
            "table": self.table,
            "operation": self.operation,
            "key": self.key,
            "before": self.before,
            "after": self.after,
        }


Keys = Callable[[Sequence[RowChange]], Sequence[CellValue]]
"""Finds the keys of changed rows."""

Rows = Callable[[Iterable[Place]], Mapping[Place, dict[str, CellValue]]]
"""Finds the existing whole rows of the unchanged world at some places."""


class Outcome:
    """The canonical set of row changes that an episode made.

    Two outcomes match when the same old rows are gone, the same cells of old rows have the same new
    values, and the same new rows stand there. Order, positions and generated ids of new rows do not
    count, nor does the wording of free text, nor the last digits of floats, nor changes of tables that are
    not scored, nor letter case except in columns that are compared exactly.

    Args:
        keys: finds the keys of changed rows; None leaves them out.
        rows: finds the rows that were changed.

    Attributes:
        written: the cells that tools overwrote, also with the value that they had, as far as that is known.
    """

    def __init__(
        self,
        changeset: bytes,
        tables: Sequence[Table],
        written: frozenset[Cell] = frozenset(),
        *,
        keys: Keys | None = None,
        rows: Rows = lambda _: {},
    ) -> None:
        self._changeset, self.written = changeset, written
        self.tables = tuple(tables)
        self._tables = {table.name: table for table in tables}
        self._keys, self._rows = keys, rows

    @property
    def empty(self) -> bool:
        """Whether nothing changed that counts."""
        return not self._changeset or not any(self._tables[each.table].scored for each in self._read)

    @cached_property
    def changes(self) -> tuple[RowChange, ...]:
        """The changes, deletions and updates by position, then new rows in order of creation."""
        keys = self._keys(self._read) if self._keys is not None else [None] * len(self._read)
        return tuple(replace(change, key=key) for change, key in zip(self._read, keys, strict=True))

    @cached_property
    def _read(self) -> tuple[RowChange, ...]:
        """The changes without keys, which need the world."""
        found = [_read(change, self._tables[change.name]) for change in apsw.Changeset.iter(self._changeset)]
        rank = {"update": 0, "delete": 1, "insert": 2}
        found.sort(key=lambda change: (change.table, rank[change.operation], change.row))
        return tuple(found)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What `matches` compares; hashable."""
        keys = [key for change in self._read if (key := change_key(change, self._tables[change.table]))]
        # By repr, because cells may be missing and None has no order; most outcomes are a single change.
        return tuple(sorted(keys, key=repr)) if len(keys) > 1 else tuple(keys)

    def matches(self, other: Outcome) -> bool:
        """Whether both episodes left the world in the same state."""
        return self._changeset == other._changeset or self.key == other.key

    def beside(self, other: Outcome) -> tuple[RowChange, ...]:
        """The changes; each that equals one of another outcome has the form of that outcome."""
        theirs = [(change_key(change, self._tables[change.table]), change) for change in other.changes]
        found = []
        for change in self.changes:
            key = change_key(change, self._tables[change.table])
            place = next((number for number, (same, _) in enumerate(theirs) if same == key), None)
            found.append(change if place is None or key is None else theirs.pop(place)[1])
        return tuple(found)

    def __getstate__(self) -> dict[str, Any]:
        """A copy, perhaps in another process, has the keys and not the world."""
        return {**self.__dict__, "changes": self.changes, "_keys": None, "_rows": None}

    def made_on(self) -> Mapping[Place, dict[str, CellValue]]:
        """The old rows of `proposed`, whole, in the world that the episode began with."""
        return self._rows(self.proposed())

    def proposed(self) -> dict[Place, set[str]]:
        """The rows, by table and position, that need approval, each with its written columns.

        An equal value counts: were it left out, one could guess a value that one may not read.
        """
        found: dict[Place, set[str]] = {}
        for change in self.changes:
            found[change.table, change.row] = {*change.before, *change.after}
        for table, row, column in self.written:
            found.setdefault((table, row), set()).add(column)
        return dict(sorted(found.items()))

    def to_json(self) -> list[dict[str, Any]]:
        """The changes as JSON-able data."""
        return [change.to_json() for change in self.changes]

    def __repr__(self) -> str:
        message = ", ".join(f"{change.operation} {change.table}" for change in self.changes)
        return f"Outcome({message or 'no changes'})"


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
    if not table.scored:
        return None
    if change.operation == "delete":
        return (table.name, "delete", change.row)
    if change.operation == "insert":
        open_to_choice = (*table.generated, *table.free)
        cells = [(c, _fold(c, v, table)) for c, v in change.after.items() if c not in open_to_choice]
        return (table.name, "insert", tuple(cells))
    cells = [
        (c, _fold(c, v, table))
        for c, v in change.after.items()
        if c in table.free or _changed(v, change.before.get(c), c in table.exact)
    ]
    return (table.name, "update", change.row, tuple(cells)) if cells else None


def folded_cell(value: CellValue, *, exact: bool = False) -> Hashable:
    """A cell for comparisons: a float without the digits that rounding leaves, a JSON value as its text.

    Args:
        exact: letter case counts. Two ways to write a character in Unicode are the same then.
    """
    plain = _plain(value)
    if isinstance(plain, tuple):
        return (folded_cell(plain[0], exact=exact),)
    if isinstance(plain, str):
        return unicodedata.normalize("NFC", plain) if exact else plain.lower()
    return plain


def _changed(after: CellValue, before: CellValue, exact: bool) -> bool:
    """Whether a cell is another one. In a column that is compared exactly, so is one in other Unicode."""
    if exact:
        return _plain(after) != _plain(before)
    return folded_cell(after) != folded_cell(before)


def _plain(value: CellValue) -> Hashable:
    """A cell in a hashable form, which distinguishes types that are equal in Python."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, bool | list | dict):
        return (json_text(_rounded(value)),)
    return value


def _rounded(value: Any) -> Any:
    """A JSON value whose equal numbers are written alike: 1.0 is 1."""
    match value:
        case float():
            found = value if value.is_integer() else float(f"{value:.{_DIGITS}g}")
            return int(found) if found.is_integer() else found
        case list():
            return [_rounded(each) for each in value]
        case dict():
            return {name: _rounded(each) for name, each in value.items()}
    return value


def _fold(column: str, value: CellValue, table: Table) -> Hashable:
    exact = column in table.exact
    if value is not None and column in table.free and not exact:
        return _REWRITTEN
    return folded_cell(value, exact=exact)
