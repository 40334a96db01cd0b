"""The tools that toolkits over a table of records have in common, as `toolkits.toml` declares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.matching import where
from worksmith.tools.sqlite.schema import ROW, columns_sql, quoted
from worksmith.tools.tool_context import ToolContext

FOUND_AT_MOST = 5
"""The searches of mails and events return at most this many records."""

_CHOICES = {
    "status": schema.STATUSES,
    "product_interest": schema.PRODUCTS,
    "list_name": schema.LISTS,
    "board": schema.BOARDS,
}

_Given = Mapping[str, str | None]


class RecordTable:
    """One table with ids in its first column.

    A tool is the method that its name begins with. It takes the context, the data of the tool, and the
    arguments of the call; most return a message.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        table = next(table for table in schema.TABLES if table.name == data["table"])
        self._data = data
        self._noun: str = data["noun"]
        self._columns = table.columns
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

    def one(self, ctx: ToolContext, record_id: str) -> dict[str, Any] | None:
        found = ctx.rows(self._select_one, (record_id,))
        return found[0] if found else None

    def append(self, ctx: ToolContext, *cells: str | None) -> str:
        """Add a record behind all others.

        Args:
            cells: all columns after the id.

        Returns:
            The new id: one more than the last, in text order, of the ids that are numbers.
        """
        last = ctx.values(self._last_id)
        number = int(last[0]) + 1 if last else 0
        record_id = str(number).zfill(self._data.get("id_width", 0))
        if self.one(ctx, record_id) is not None:
            raise ToolError(f"No new {self._noun.lower()} ID is free.")
        ctx.execute(self._insert, (record_id, *cells))
        return record_id

    def create(self, ctx: ToolContext, data: Mapping[str, Any], given: _Given) -> str:
        for argument, message in data["missing"].items():
            if not given[argument]:
                return str(message)
        cells = [self._spelled(column, given[column]) for column in self._columns[1:]]
        if data.get("checked"):
            for column, cell in zip(self._columns[1:], cells, strict=True):
                if refusal := self._refusal(ctx, column, cell):
                    return refusal
        return self.append(ctx, *cells)

    add = create

    def delete(self, ctx: ToolContext, _: Mapping[str, Any], given: _Given) -> str:
        (record_id,) = given.values()
        if not record_id:
            return f"{self._noun} ID not provided."
        if not ctx.execute(self._delete, (record_id,)):
            return f"{self._noun} not found."
        return f"{self._noun} deleted successfully."

    def update(self, ctx: ToolContext, _: Mapping[str, Any], given: _Given) -> str:
        """Set one cell in place."""
        record_id, field, new_value = given.values()
        if not record_id or not field or not new_value:
            return f"{self._noun} ID, field, or new value not provided."
        value = self._spelled(field, new_value)
        if refusal := self._refusal(ctx, field, value):
            return refusal
        if field not in self._updates and self.one(ctx, record_id) is not None:
            return str(self._data["unknown_field"])
        if field not in self._updates or not ctx.execute(self._updates[field], (value, record_id)):
            return f"{self._noun} not found."
        return f"{self._noun} updated successfully."

    def get(self, ctx: ToolContext, _: Mapping[str, Any], given: _Given) -> dict[str, Any] | str:
        """One field of one record, or the message why not."""
        record_id, field = given.values()
        if not record_id:
            return f"{self._noun} ID not provided."
        if not field:
            return "Field not provided."
        record = self.one(ctx, record_id)
        if record is None:
            return f"{self._noun} not found."
        return {field: record[field]} if field in record else "Field not found."

    def search(self, ctx: ToolContext, data: Mapping[str, Any], given: _Given) -> list[dict[str, Any]] | str:
        """The records that contain what is given by columns, and lie between the bounds of columns."""
        if not any(given.values()):
            return str(data["nothing"])
        rows = self.all(ctx)
        for argument, value in given.items():
            column, end = argument[:-4], argument[-4:]
            if argument in self._columns:
                rows = where(rows, (argument,), value or "")
            elif value and end == "_min":  # an empty cell lies in no range
                rows = [row for row in rows if row[column] is not None and row[column] >= value]
            elif value:
                rows = [row for row in rows if row[column] is not None and row[column] <= value]
        return rows[: data.get("most")]

    def _spelled(self, column: str, value: str | None) -> str | None:
        return value.lower() if value and column in self._data.get("lower", ()) else value

    def _refusal(self, ctx: ToolContext, column: str, value: str | None) -> str | None:
        """Why a column does not take a value, if it does not."""
        if column not in self._data.get("refused", {}):
            return None
        if column in _CHOICES:
            known = value in _CHOICES[column]
        else:
            known = bool(ctx.values("SELECT 1 FROM tasks WHERE assigned_to_email = ? LIMIT 1", (value,)))
        return None if known else str(self._data["refused"][column])
