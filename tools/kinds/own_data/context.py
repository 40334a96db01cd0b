"""The context of a user's tool: the rows that its persona may read and change, the clock, the persona."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.guard import Foreign, Guard, Key, Sql
from worksmith.tools.access.search import Searched, best
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.kinds.own_data.conditions import check_condition, equals, one_of, typed
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.keys import free_key
from worksmith.tools.sqlite.schema import Table, quoted
from worksmith.tools.user_tool import REPLIED
from worksmith.tools.world_kind import LIVE, PastReplies

if TYPE_CHECKING:
    from worksmith.tools.tool_context import PastCall, ToolContext
    from worksmith.tools.user import User

Row = dict[str, Any]

Where = tuple[str, Sequence[CellValue]]
"""A condition in SQL over the columns of one table, with the values of its question marks."""


class Context:
    """The first argument of every tool: `ctx["tickets"].get("T-1")`, `ctx.persona`, `ctx.now`.

    Attributes:
        persona: the person that the agent works for; no argument of a call can change that.
        now: the clock of the episode; it stands still.
        live: whether calls outside are to be made, see `Environment.tool`.
        past: the replies of earlier calls outside, where an episode is made again.
        calls: the earlier calls of the episode, each with `tool`, `arguments` and `value`.

    Example:
        >>> rows = [{"id": "T-1", "status": "open"}]
        >>> env = ws.Environment.from_tables({"tickets": rows}, now="2026-01-05 09:00")
        >>> @env.tool(writes=False)
        ... def count_open(ctx: ws.Context) -> int:
        ...     "How many tickets are open."
        ...     return ctx["tickets"].count(status="open")
        >>> env.episode().call("tools.count_open", {}).value
        1
    """

    def __init__(
        self, ctx: ToolContext, tables: Sequence[Table], searched: Mapping[str, Searched], *, writes: bool
    ) -> None:
        self.now: datetime = ctx.now
        self.live: bool = ctx.backend == LIVE
        self.past = ctx.backend if isinstance(ctx.backend, PastReplies) else None
        self._ctx = ctx
        self._guard = Guard(ctx, tables)
        self._tables = {table.name: table for table in tables}
        self._searched = searched
        self._writes = writes
        self._hidden: set[str] = set()

    @property
    def calls(self) -> tuple[PastCall, ...]:
        """The earlier calls of the episode, in order: the memory of a tool. A copy."""
        self._ctx.reads.update(*(call.reads for call in self._ctx.calls))
        return deepcopy(self._ctx.calls)

    @property
    def user(self) -> User | None:
        """The user of the task, with `wants`, `facts` and `confirms`; None without one."""
        self._ctx.reads.update({REPLIED} if self._ctx.policy.digest else ())
        return self._ctx.user

    def announce(self, value: Any) -> None:
        """Have the observation name the private fields that were hidden and that a result shows empty.

        Args:
            value: the result as data.
        """
        empty = value is None and not self._writes
        self._ctx.withheld.update(name for name in self._hidden if empty or _is_null(value, name))

    @property
    def persona(self) -> Persona:
        """The persona who asks. The record is noted as read, because a result may contain it."""
        policy, persona = self._ctx.policy, self._ctx.persona
        assert isinstance(policy, AccessPolicy)
        self._ctx.reads.update(policy.told_of(persona, wholly=True))
        return persona

    def __getitem__(self, table: str) -> Records:
        """The records of a table, that the persona may read and change.

        Raises:
            InputError: the table is unknown.
        """
        if table not in self._tables:
            raise unknown("no table", table, self._tables)
        searched = self._searched.get(table)
        return Records(self._ctx, self._guard, table, searched, self._hidden, writes=self._writes)

    def select(self, sql: str, parameters: Sequence[CellValue] = ()) -> list[Row]:
        """The rows of one SELECT over all tables with the readable records.

        Args:
            parameters: the values of the question marks.

        Raises:
            ToolError: it is not exactly one SELECT, gives more than 100 rows, or takes too long.
        """
        return self._guard.select(sql, parameters)


class Records:
    """The records of one table. Unreadable records are missing; private fields are None."""

    def __init__(
        self,
        ctx: ToolContext,
        guard: Guard,
        table: str,
        searched: Searched | None,
        hidden: set[str],
        *,
        writes: bool,
    ) -> None:
        self._ctx = ctx
        self._guard = guard
        self._table = guard.table(table)
        self._searched = searched
        self._hidden = hidden
        self._writes = writes

    @property
    def key(self) -> str:
        """The column that identifies a record."""
        return self._guard.key(self._table.name)

    def get(self, key: Key) -> Row:
        """One record by its key.

        Raises:
            ToolError: it is missing; the agent reads the message.
            AccessDeniedError: the persona may not read it.
        """
        row = self._guard.get(self._table.name, key)
        self._note_hidden([row])
        return row

    def find(
        self,
        values: Mapping[str, Any] | None = None,
        /,
        *,
        where: Where | str | None = None,
        order: str = "",
        limit: int | None = None,
        **equal: Any,
    ) -> list[Row]:
        """The records that meet all conditions.

        Args:
            values: as `equal`, for columns whose names are data, or are those of another argument.
            where: a condition in SQL, such as `("priority > ? AND title LIKE ?", [2, "%printer%"])`.
            order: columns to sort by, such as `"priority DESC, opened"`; default is the order of the table.
            limit: the most rows.
            equal: values of columns; None for NULL, a list for one of several values
                (in a JSON column a tuple, since a list is a value there).

        Raises:
            ToolError: a column is unknown, a value is not of its type, or `where` or `order` exceeds the
                limits of `ctx.select`.
            InputError: `where` or `order` is not a condition or order over the columns of this table.
        """
        if order:
            check_condition(self._table, "1", 0, order)
        conditions = self._conditions(where, {**(values or {}), **equal})
        # An agent may have chosen it; SQLite takes a negative one as no limit, and 64 bits are too many.
        most = None if limit is None else min(max(limit, 0), 2**31)
        rows = self._guard.find(self._table.name, conditions, Foreign(order) if order else "", most)
        self._note_hidden(rows)
        return rows

    def count(
        self, values: Mapping[str, Any] | None = None, /, *, where: Where | str | None = None, **equal: Any
    ) -> int:
        """The number of records that meet all conditions; arguments and errors as in `find`."""
        name, conditions = self._table.name, self._conditions(where, {**(values or {}), **equal})
        return self._guard.count(name, conditions)

    def search(self, text: str, k: int = 5, *, where: Where | str | None = None, **equal: Any) -> list[Row]:
        """The `k` records nearest to `text`, best first, among those that meet the conditions of `find`.

        Raises:
            InputError: the table has no index, see `Environment.index`.
        """
        name = self._table.name
        if self._searched is None:
            raise InputError(f"the table {name} has no index", hint=f"call env.index({name!r}, text=...)")
        conditions = self._conditions(where, equal)
        keys = best(self._ctx, self._guard, name, text, conditions, k, self._searched)
        found = self._guard.find(name, [one_of(self._table, self.key, keys)]) if keys else []
        self._note_hidden(found)
        by_key = {str(row[self.key]): row for row in found}
        return [by_key[key] for key in keys if key in by_key]

    def insert(self, values: Mapping[str, CellValue]) -> Key:
        """Add a record; columns without a value are NULL. Returns its key, a new one by default.

        Raises:
            ToolError: the key is taken, a column is unknown, or a value is not of its type.
            AccessDeniedError: the persona may not create such a record.
        """
        self._may_write()
        given = values.get(self.key)
        key = self._next_key() if given is None else typed(self._table, self.key, given)
        self._guard.insert(self._table.name, {**values, self.key: key})
        assert isinstance(key, str | int)
        return key

    def update(self, key: Key, /, **changes: CellValue) -> None:
        """Change columns of a record.

        Raises:
            ToolError: the record or column is unknown, a value is not of its type, or the key would change.
            AccessDeniedError: the persona may not make these changes.
        """
        self._may_write()
        self._guard.update(self._table.name, key, changes)

    def delete(self, key: Key) -> None:
        """Remove a record.

        Raises:
            ToolError: the record is missing.
            AccessDeniedError: the persona may not delete it.
        """
        self._may_write()
        self._guard.delete(self._table.name, key)

    def _note_hidden(self, rows: Sequence[Row]) -> None:
        private = self._guard.private_fields(self._table.name)
        if private and rows and self._guard.withheld(self._table.name, [row[self.key] for row in rows]):
            self._hidden.update(private)

    def _may_write(self) -> None:
        if not self._writes:
            raise InputError("this tool is declared with writes=False", hint="leave writes=False out")

    def _next_key(self) -> Key:
        name, column = self._table.name, self.key
        if self._table.type_of(column) == "text":
            return free_key(self._ctx.connection, name, column)
        highest = self._ctx.values(f"SELECT max({quoted(column)}) FROM main.{quoted(name)}")[0]
        return int(highest or 0) + 1

    def _conditions(self, where: Where | str | None, equal: Mapping[str, Any]) -> list[Sql]:
        conditions = [equals(self._table, column, value) for column, value in equal.items()]
        if where is not None:
            sql, parameters = (where, ()) if isinstance(where, str) else where
            check_condition(self._table, sql, len(parameters))
            conditions.append(Foreign(sql, list(parameters)))
        return conditions


def _is_null(value: Any, name: str) -> bool:
    """Whether a result shows a field of this name as empty."""
    if isinstance(value, Mapping):
        return (name in value and value[name] is None) or any(_is_null(one, name) for one in value.values())
    return isinstance(value, list) and any(_is_null(one, name) for one in value)
