"""What all read tools do: select records, rank them if asked to, show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from worksmith.tools.access.guard import Guard, Sql
from worksmith.tools.access.search import best
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.documents import SEARCHED
from worksmith.tools.kinds.enterprise.people import employee
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.kinds.enterprise.values import day
from worksmith.tools.policy import AccessDeniedError
from worksmith.tools.sqlite.schema import ROW
from worksmith.tools.tool_context import ToolContext

Row = dict[str, Any]
Condition = tuple[str, tuple[str | int, ...]]

SHOWN_WHOLE = 3
"""The most records that are shown with full texts."""

CUT = 300
"""How long a text may be where more records are shown."""

MOST = 200
"""The highest limit that a call may ask for."""


def guard_of(ctx: ToolContext) -> Guard:
    """The guarded data of a call."""
    return Guard(ctx, TABLES)


class Reading:
    """The selectors of one read call. Each narrows the choice; an empty one does nothing.

    Args:
        newest: the column by which the latest record comes first; without it they keep their order.
    """

    def __init__(self, ctx: ToolContext, source: str, newest: str = "") -> None:
        self.ctx = ctx
        self.guard = guard_of(ctx)
        self.source = source
        self._order = f"{newest} DESC, {ROW} DESC" if newest else ROW
        self._conditions: list[Condition] = []

    def key(self, value: str) -> Reading:
        """The record with this id.

        Raises:
            AccessDeniedError: it exists, and the persona may not read it.
        """
        if wanted := value.strip():
            self.where(f"{KEYS[self.source]} = ?", wanted)
            if not self.guard.count(self.source, self._conditions[-1:]):
                self._deny_if_there(wanted)
        return self

    def equal(self, column: str, value: str) -> Reading:
        """Exactly this text."""
        if value.strip():
            self.where(f"{column} = ?", value.strip())
        return self

    def alike(self, column: str, value: str) -> Reading:
        """This text, in any letter case."""
        if value.strip():
            self.where(f"{column} = ? COLLATE NOCASE", value.strip())
        return self

    def part(self, column: str, value: str) -> Reading:
        """This text or part of it, in any letter case."""
        if value.strip():
            self.where(f"instr(lower({column}), lower(?)) > 0", value.strip())
        return self

    def among(self, column: str, values: Collection[str] | None) -> Reading:
        """One of these texts; None does not narrow."""
        if values is not None:
            marks = ", ".join("?" * len(values))
            self.where(f"{column} IN ({marks})", *values)
        return self

    def person(self, value: str, *columns: str) -> Reading:
        """An employee, given as id, address, name or "me", who stands in one of `columns`."""
        if value.strip():
            wanted = employee(self.ctx, self.guard, value)
            either = " OR ".join(f"{column} = ?" for column in columns)
            self.where(f"({either})", *[wanted] * len(columns))
        return self

    def days(self, column: str, first: str, last: str) -> Reading:
        """Between two days, both included."""
        if first.strip():
            self.where(f"{column} >= ?", day("date_from", first))
        if last.strip():
            self.where(f"{column} < ?", day("date_to", last) + "~")  # behind every time of that day
        return self

    def where(self, sql: str, *parameters: str | int) -> Reading:
        self._conditions.append((sql, parameters))
        return self

    def rows(self, query: str, limit: int) -> tuple[int, list[Row]]:
        """How many records match, and the first of them.

        With a query the best matches come first, and they alone count.

        Raises:
            ToolError: the limit makes no sense.
        """
        if not 1 <= limit <= MOST:
            raise ToolError(f"limit must lie between 1 and {MOST}.")
        if query.strip():
            keys = nearest(self.ctx, self.guard, self.source, query.strip(), self._conditions, limit)
            found = in_order(self.guard, self.source, keys)
        else:
            found = self.guard.find(self.source, self._conditions, order=self._order, limit=limit)
        full = len(found) == limit and not query.strip()
        total = self.guard.count(self.source, self._conditions) if full else len(found)
        return total, self._without_private(found)

    def _without_private(self, rows: list[Row]) -> list[Row]:
        """Rows without the fields that the persona does not see, so that they do not look empty."""
        private = self.guard.private_fields(self.source)
        if not private or not rows:
            return rows
        key = KEYS[self.source]
        withheld = self.guard.withheld(self.source, [row[key] for row in rows])
        if withheld:
            self.ctx.withheld.update(private)
        return [
            {name: cell for name, cell in row.items() if name not in private} if row[key] in withheld else row
            for row in rows
        ]

    def _deny_if_there(self, key: str) -> None:
        try:
            self.guard.get(self.source, key)
        except AccessDeniedError:
            raise
        except ToolError:
            return  # no such record: the answer is an empty list


def nearest(
    ctx: ToolContext, guard: Guard, source: str, text: str, conditions: Sequence[Sql], limit: int
) -> list[str]:
    """The keys of the records nearest to `text`, best first; see `worksmith.tools.access.search.best`."""
    return best(ctx, guard, source, text, conditions, limit, SEARCHED[source].searched)


def in_order(guard: Guard, source: str, keys: Collection[str]) -> list[Row]:
    """The readable records with these keys, in the order of the keys."""
    if not keys:
        return []
    key = KEYS[source]
    marks = ", ".join("?" * len(keys))
    rows = {row[key]: row for row in guard.find(source, [(f"{key} IN ({marks})", tuple(keys))])}
    return [rows[k] for k in keys if k in rows]


class Found(TypedDict):
    """The result of a read tool.

    Attributes:
        total: how many records match; no more than the limit of the call are shown.
    """

    total: int
    records: list[Row]


def result(total: int, rows: Iterable[Row]) -> Found:
    """The result of a read tool; long texts are cut where many records are shown."""
    records = list(rows)
    if len(records) > SHOWN_WHOLE:
        records = [{name: _cut(cell) for name, cell in row.items()} for row in records]
    return {"total": total, "records": records}


def with_names(
    guard: Guard, rows: list[Row], source: str, columns: Mapping[str, str], shown: str
) -> list[Row]:
    """Rows with the names that ids in them stand for, each behind its id.

    Args:
        source: where the names are.
        columns: a new column for each column of ids.
        shown: the column of `source` with the name.
    """
    ids = sorted({row[column] for row in rows for column in columns if row[column]})
    if not ids:
        return rows
    key = KEYS[source]
    marks = ", ".join("?" * len(ids))
    found = guard.find(source, [(f"{key} IN ({marks})", tuple(ids))])
    names = {row[key]: row[shown] for row in found}
    return [_named(row, columns, names) for row in rows]


def _named(row: Row, columns: Mapping[str, str], names: Mapping[str, str]) -> Row:
    named: Row = {}
    for column, cell in row.items():
        named[column] = cell
        if column in columns and cell in names:
            named[columns[column]] = names[cell]
    return named


def _cut(cell: Any) -> Any:
    if isinstance(cell, str) and len(cell) > CUT:
        return cell[: CUT - 1] + "…"
    return cell
