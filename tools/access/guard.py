"""The guard: how tools read and change records, so that the policy cannot be forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from worksmith.tools.access.access_policy import NO_FIELDS, AccessPolicy, denial, key_column
from worksmith.tools.access.confinement import Limits
from worksmith.tools.access.lookup import DatabaseLookup, Record
from worksmith.tools.access.query import run_query
from worksmith.tools.errors import ToolError
from worksmith.tools.policy import AccessDeniedError, Decision, private_part
from worksmith.tools.sqlite.bounds import Bounds, bounded
from worksmith.tools.sqlite.cells import CellValue, typed_cell
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted
from worksmith.tools.tool_context import ToolContext

Sql = tuple[str, Sequence[CellValue]]
"""A condition over the columns of a source by their plain names, with its parameters."""


class Foreign(NamedTuple):
    """A condition or an order that may be foreign.

    It is tested on readable rows only, because SQLite tests conditions in its own order, so that an error
    would reveal hidden rows. It runs under the bounds of a foreign SELECT.
    """

    text: str
    parameters: Sequence[CellValue] = ()


Key = str | int


class Guard:
    """The records that the persona of a desk may read and change.

    The context's persona asks, with any arguments of a call. Reads select from views in which
    other people's records are missing and private fields are NULL before any condition applies, so
    filtering or sorting by a private field reveals nothing. Writes are checked on the record as it is
    and as it would be, then made.

    A change raises `AccessDeniedError` if the persona may not make it, and `ToolError` if the record is
    missing, a key is missing, taken or would change, or a cell does not have its column's type.

    Args:
        tables: the sources, by which the guard knows their fields.
    """

    def __init__(self, ctx: ToolContext, tables: Iterable[Table]) -> None:
        assert isinstance(ctx.policy, AccessPolicy)
        self._ctx = ctx
        self._policy = ctx.policy
        self._tables = {table.name: table for table in tables}
        self._lookup = DatabaseLookup(ctx.connection)

    def table(self, source: str) -> Table:
        """The columns of a source and their types."""
        return self._tables[source]

    def key(self, source: str) -> str:
        """The column that identifies a record of a source."""
        return key_column(self._policy, self._tables[source])

    def find(
        self, source: str, conditions: Sequence[Sql] = (), order: str | Foreign = "", limit: int | None = None
    ) -> list[dict[str, Any]]:
        """The readable records of `source` that meet all conditions.

        Args:
            order: an ORDER BY list; ties and the default are by position.
        """
        table = self._tables[source]
        if _by_others(conditions, order):
            # The bounds hold for choosing the rows; those that are chosen may have longer cells.
            cells = ", ".join(f"r.{quoted(column)}" for column in table.columns)
            text = (
                f"SELECT {cells} FROM json_each(?) AS j "
                f"CROSS JOIN ({self._view(source)}) AS r ON r.{ROW} = j.value ORDER BY j.key"
            )
            parameters: list[CellValue] = [json.dumps(self._chosen(source, ROW, conditions, order, limit))]
        else:
            text, parameters = self._query(source, columns_sql(table.columns), conditions, order, limit)
        rows = [table.shown(row) for row in self._ctx.rows(text, parameters)]
        self._note_choice(source, conditions, order)
        if rows and self.private_fields(source):
            keys: set[Any] = {row[self.key(source)] for row in rows}
            for key in keys - self.withheld(source, keys):
                self.note(source, key, private=True)
        return rows

    def count(self, source: str, conditions: Sequence[Sql] = ()) -> int:
        self._note_choice(source, conditions)
        return int(self._chosen(source, "count(*)", conditions, None)[0])

    def keys(self, source: str, conditions: Sequence[Sql] = ()) -> list[Any]:
        """The keys of the readable records that meet all conditions, by position."""
        self._note_choice(source, conditions)
        return self._chosen(source, quoted(self.key(source)), conditions)

    def get(self, source: str, key: Key) -> dict[str, Any]:
        """One record by its key, its private fields `None`.

        Raises:
            ToolError: the record is missing.
            AccessDeniedError: the persona may not read it.
        """
        condition, key = f"{quoted(self.key(source))} = ?", self._typed_key(source, key)
        found = self.find(source, [(condition, [key])], limit=1)
        if not found:
            self.require(source, "read", self._stored(source, key))
            # Every form of a rule agrees, so this is unreachable; if it were reached, it must deny.
            raise AccessDeniedError(denial(source, "read"))
        return found[0]

    def private_fields(self, source: str) -> frozenset[str]:
        return frozenset(self._policy.private_fields(source))

    def withheld(self, source: str, keys: Iterable[Key]) -> set[Key]:
        """Those of these readable records whose private fields are hidden from the persona."""
        shown = self._policy.private_condition(self._ctx.persona, source)
        if shown == "1":
            return set()
        key = quoted(self.key(source))
        wanted = set(keys)
        rows = self._ctx.values(
            f"SELECT r.{key} FROM main.{quoted(source)} AS r "
            f"WHERE r.{key} IN (SELECT value FROM json_each(?)) AND ({shown})",
            [json.dumps(sorted(wanted))],
        )
        return wanted - set(rows)

    def rights(self, source: str) -> tuple[str, str]:
        """The conditions on which the persona reads records and sees private fields; `1` is always.

        People with equal conditions see the same.
        """
        persona, policy = self._ctx.persona, self._policy
        return policy.condition(persona, source, "read"), policy.private_condition(persona, source)

    def decisive(self, source: str) -> frozenset[str]:
        """See `AccessPolicy.decisive`."""
        return self._policy.decisive(self._ctx.persona, source)

    def allows(self, source: str, operation: str, record: Record, fields: Iterable[str] = ()) -> Decision:
        """Whether the persona may do this to `record`. An update names the fields that it changes."""
        return self._policy.allows(
            self._ctx.persona, source, operation, record, self._lookup, frozenset(fields) or NO_FIELDS
        )

    def require(self, source: str, operation: str, record: Record, fields: Iterable[str] = ()) -> None:
        """Refuse an operation that the policy does not allow; arguments as in `allows`."""
        decision = self.allows(source, operation, record, fields)
        if not decision.allow:
            raise AccessDeniedError(decision)
        self._ctx.granted.append(decision)

    def insert(self, source: str, values: Mapping[str, CellValue]) -> None:
        """Add a record; fields not given are NULL."""
        table, key = self._tables[source], self.key(source)
        # Whether a key is free, and which one is next, depends on every row.
        self.note(source)
        values = self._typed(source, values)
        record = {column: values.get(column) for column in table.columns}
        self.require(source, "create", record)
        name = record[key]
        if name is None or name == "":
            raise ToolError(f"a record of {source} needs its {key}")
        if self._lookup.records(source, {key: name}):
            raise ToolError(f"{key} {name} is taken")
        self._ctx.execute(
            table.insert_sql().replace("INTO ", "INTO main.", 1), [record[c] for c in table.columns]
        )

    def update(
        self, source: str, key: Key, changes: Mapping[str, CellValue], operation: str = "update"
    ) -> None:
        """Change fields of a record.

        The policy decides about the record before and after the change, so that no persona gives a record
        away, or takes one over, without the right to change it then.

        Args:
            operation: `delete` for a deletion that only marks the record.
        """
        key, changes = self._typed_key(source, key), self._typed(source, changes)
        self.note(source, key, private=not self.private_fields(source).isdisjoint(changes))
        stored = self._stored(source, key)
        # A field counts as changed if it is named: were an equal value let through, one could guess it.
        fields = frozenset(changes) if operation == "update" else NO_FIELDS
        self.require(source, operation, stored, fields)
        self.require(source, operation, {**stored, **changes}, fields)
        if changes.get(self.key(source), key) != key:
            raise ToolError(f"the {self.key(source)} of a record cannot be changed")
        if changes:
            assignments = ", ".join(f"{quoted(field)} = ?" for field in changes)
            rows = self._ctx.values(
                f"UPDATE main.{quoted(source)} SET {assignments} "
                f"WHERE {quoted(self.key(source))} = ? RETURNING {ROW}",
                [*changes.values(), key],
            )
            self._ctx.written.update((source, row, field) for row in rows for field in changes)

    def delete(self, source: str, key: Key) -> None:
        """Remove a record."""
        key = self._typed_key(source, key)
        self.note(source, key)
        self.require(source, "delete", self._stored(source, key))
        self._ctx.execute(f"DELETE FROM main.{quoted(source)} WHERE {quoted(self.key(source))} = ?", [key])

    def select(
        self, text: str, parameters: Sequence[CellValue] = (), limits: Limits | None = None
    ) -> list[dict[str, Any]]:
        """The rows of a SELECT of the caller, over tables with the readable records.

        Args:
            parameters: the values of the question marks in `text`.

        Raises:
            ToolError: it is not exactly one SELECT, uses a forbidden function or table, or takes too long.
        """
        told = text.lower()
        named = [name for name in self._tables if name.lower() in told]
        for name in named:
            # Besides fields by their names there are all of them at once.
            columns = ("*", "natural", *map(str.lower, self.private_fields(name)))
            self.note(name, private=any(column in told for column in columns))
            self.announce(name)
        views = {name: (table, self._view(name)) for name, table in self._tables.items()}
        rows = run_query(self._ctx.connection, views, text, limits or Limits(), parameters)
        self._ctx.withheld.update(
            field
            for source in named
            if self._policy.private_condition(self._ctx.persona, source) != "1"
            for field in self.private_fields(source)
            if any(field in row and row[field] is None for row in rows)
        )
        return rows

    def note(self, source: str, key: Key | None = None, *, private: bool = False) -> None:
        """Note a record that the call has read, for demonstrations that quote it.

        Args:
            key: of a record, which need not be there; None for all that the source has or could have.
            private: whether the private fields are among it.
        """
        read = {f"{source}/{'*' if key is None else key}"}
        if private or self._policy.decides_by_private(source):
            read |= set(map(private_part, read)) if self.private_fields(source) else set()
        self._ctx.reads.update(read | self._policy.deciding(self._ctx.persona, source))

    def _note_choice(self, source: str, conditions: Sequence[Sql], order: str | Foreign = "") -> None:
        """Note a choice of records: it depends on those left out as well, unless the key is given."""
        key = self.key(source)
        exact: Iterator[Any] = (
            values[0]
            for text, values in conditions
            if len(values) == 1 and text.replace('"', "") == f"{key} = ?"
        )
        sorting = order.text if isinstance(order, Foreign) else order
        texts = " ".join([sorting, *(text for text, _ in conditions)]).lower()
        named = any(field.lower() in texts for field in self.private_fields(source))
        chosen = next(exact, None)
        self.note(source, chosen, private=named)
        if chosen is None:
            self.announce(source)

    def announce(self, source: str) -> None:
        """Give the observation the note that it holds only readable records, if the rules demand it."""
        if self._policy.announces(self._ctx.persona, source):
            self._ctx.announced.add(source)

    def _view(self, source: str) -> str:
        return self._policy.view(self._ctx.persona, source, self._tables[source].columns)

    def _chosen(
        self,
        source: str,
        what: str,
        conditions: Sequence[Sql],
        order: str | Foreign | None = "",
        limit: int | None = None,
    ) -> list[Any]:
        """The column `what` of the rows that `find` gives."""
        query = self._query(source, what, conditions, order, limit)
        if not _by_others(conditions, order):
            return self._ctx.values(*query)
        with bounded(self._ctx.connection, Bounds(), "condition or order"):
            return self._ctx.values(*query)

    def _query(
        self,
        source: str,
        what: str,
        conditions: Sequence[Sql],
        order: str | Foreign | None,
        limit: int | None,
    ) -> tuple[str, list[CellValue]]:
        own = [each for each in conditions if not isinstance(each, Foreign)]
        tested = [each for each in conditions if isinstance(each, Foreign)]
        sorting = (order,) if isinstance(order, Foreign) else ()
        text = f"FROM ({self._view(source)}) WHERE {_all(own)}"
        if tested or sorting:
            # SQLite neither merges a query with a LIMIT into another nor tests the other's conditions in it.
            # A cell of an unnamed column may be longer than the bounds.
            message = " ".join((what, *(each.text for each in (*tested, *sorting)))).casefold()
            names = map(quoted, self._tables[source].columns)
            named = ", ".join((ROW, *(name for name in names if name[1:-1].casefold() in message)))
            text = f"FROM (SELECT {named} {text} LIMIT -1) WHERE {_all(tested)}"
        if order is not None:
            first = order.text if isinstance(order, Foreign) else order
            # A comment in it ends with its line.
            text += f" ORDER BY {first}\n, {ROW}" if first else f" ORDER BY {ROW}"
        values = [value for each in (*own, *tested, *sorting) for value in each[1]]
        if limit is not None:
            text, values = f"{text} LIMIT ?", [*values, limit]
        return f"SELECT {what} {text}", values

    def _stored(self, source: str, key: Key) -> Record:
        found = self._lookup.records(source, {self.key(source): key})
        if not found:
            raise ToolError(f"there is no {self.key(source)} {key}")
        return found[0]

    def _typed(self, source: str, values: Mapping[str, CellValue]) -> dict[str, CellValue]:
        table = self._tables[source]
        unknown = sorted(set(values) - set(table.columns))
        if unknown:
            raise ToolError(f"{source} has no field {', '.join(unknown)}")
        found = {}
        for field, value in values.items():
            try:
                found[field] = typed_cell(value, table.type_of(field))
            except ValueError as error:
                raise ToolError(f"{field} of {source}: {error}") from error
        return found

    def _typed_key(self, source: str, key: Key) -> Key:
        name = self.key(source)
        try:
            found = typed_cell(key, self._tables[source].type_of(name))
        except ValueError as error:
            raise ToolError(f"there is no {name} {key}: {error}") from error
        assert isinstance(found, str | int)
        return found


def _all(conditions: Sequence[Sql]) -> str:
    return " AND ".join(f"({text}\n)" for text, _ in conditions) or "1"


def _by_others(conditions: Sequence[Sql], order: str | Foreign | None) -> bool:
    return any(isinstance(each, Foreign) for each in (*conditions, order))
