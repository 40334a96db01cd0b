"""Reading and changing one table's records by id, as all toolkits do it."""

from __future__ import annotations

from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted
from worksmith.tools.tool_context import ToolContext

FOUND_AT_MOST = 5
"""The searches of mails, events and customers return at most this many records."""


class RecordTable:
    """One table with ids.

    Args:
        table: its first column is the id.
        noun: what a record is called in messages.
        id_width: new ids are padded with zeros to this many digits.
    """

    def __init__(self, table: Table, noun: str, id_width: int) -> None:
        self.table = table
        self.noun = noun
        self.id_width = id_width
        name, key, columns = quoted(table.name), quoted(table.columns[0]), columns_sql(table.columns)
        self._select_all = f"SELECT {columns} FROM {name} ORDER BY {ROW}"
        self._select_one = f"SELECT {columns} FROM {name} WHERE {key} = ? ORDER BY {ROW} LIMIT 1"
        self._delete = f"DELETE FROM {name} WHERE {key} = ?"
        self._updates = {c: f"UPDATE {name} SET {quoted(c)} = ? WHERE {key} = ?" for c in table.columns}
        self._insert = table.insert_sql()
        number = f"length({key}) BETWEEN 1 AND 18 AND {key} NOT GLOB '*[^0-9]*'"
        self._last_id = f"SELECT {key} FROM {name} WHERE {number} ORDER BY {key} DESC LIMIT 1"

    def all(self, ctx: ToolContext) -> list[dict[str, Any]]:
        return ctx.rows(self._select_all)

    def get(self, ctx: ToolContext, record_id: str) -> dict[str, Any] | None:
        found = ctx.rows(self._select_one, (record_id,))
        return found[0] if found else None

    def information(self, ctx: ToolContext, record_id: str | None, field: str | None) -> dict[str, Any] | str:
        """One field of one record, or the message why not."""
        if not record_id:
            return f"{self.noun} ID not provided."
        if not field:
            return "Field not provided."
        record = self.get(ctx, record_id)
        if record is None:
            return f"{self.noun} not found."
        return {field: record[field]} if field in record else "Field not found."

    def delete(self, ctx: ToolContext, record_id: str | None) -> str:
        """Remove a record; returns the message."""
        if not record_id:
            return f"{self.noun} ID not provided."
        if not ctx.execute(self._delete, (record_id,)):
            return f"{self.noun} not found."
        return f"{self.noun} deleted successfully."

    def update(self, ctx: ToolContext, record_id: str, field: str, value: str, unknown_field: str) -> str:
        """Set one cell in place; returns the message, `unknown_field` if there is no such column."""
        if field not in self._updates and self.get(ctx, record_id) is not None:
            return unknown_field
        if field not in self._updates or not ctx.execute(self._updates[field], (value, record_id)):
            return f"{self.noun} not found."
        return f"{self.noun} updated successfully."

    def append(self, ctx: ToolContext, *cells: str | None) -> str:
        """Add a record behind all others.

        Args:
            cells: all columns after the id.

        Returns:
            The new id: one more than the last, in text order, of the ids that are numbers.
        """
        last = ctx.values(self._last_id)
        number = int(last[0]) + 1 if last else 0
        record_id = str(number).zfill(self.id_width)
        if self.get(ctx, record_id) is not None:
            raise ToolError(f"No new {self.noun.lower()} ID is free.")
        ctx.execute(self._insert, (record_id, *cells))
        return record_id
