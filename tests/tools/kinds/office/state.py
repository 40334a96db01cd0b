"""The whole state of an episode, as the original's test files describe it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from worksmith.tools.episode import Episode
from worksmith.tools.kinds.office.schema import CALENDAR, CUSTOMERS, EMAIL, PLOTS, TASKS
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.outcome import RowChange
from worksmith.tools.sqlite.schema import Table

Row = tuple[CellValue, ...]

COMPARED = {table.name: table for table in (CALENDAR, EMAIL, PLOTS, TASKS, CUSTOMERS)}
"""The tables that the original compares."""


def table_hash(table: Table, rows: Sequence[Row]) -> str:
    text = json.dumps([table.columns, rows], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rows_after(start: Sequence[Row], table: Table, episode: Episode) -> list[Row]:
    """The rows of a table after an episode, from those of the world at rest and the episode's outcome."""
    changes = [change for change in episode.outcome().changes if change.table == table.name]
    rows: dict[int, Row] = dict(enumerate(start, start=1))
    for change in changes:
        if change.operation == "delete":
            del rows[change.row]
        elif change.operation == "update":
            rows[change.row] = _updated(rows[change.row], table, change)
    new = [tuple(c.after[name] for name in table.columns) for c in changes if c.operation == "insert"]
    return [*rows.values(), *new]


def _updated(row: Row, table: Table, change: RowChange) -> Row:
    return tuple(change.after.get(name, cell) for name, cell in zip(table.columns, row, strict=True))
