"""One table of a database: its rows as cells, and the statements of a change."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import sqlalchemy as sa

from worksmith.tools.change_set import ProposedChange
from worksmith.tools.errors import Notice, ToolError
from worksmith.tools.kinds.own_data.sources.profile import converter
from worksmith.tools.kinds.own_data.sources.reading import Reading, plain
from worksmith.tools.sqlite.cells import CellType, CellValue, cell_text, shown_cell


class StoredTable:
    """A table with plain cells. Columns of bytes are left out, with a notice.

    Attributes:
        columns: those that are read, with types that take plain values.
        types: the types of their cells.
        key: the names of the columns that identify a row; empty without declared ones.
    """

    def __init__(self, table: sa.Table, *, in_sqlite: bool) -> None:
        self.table = table
        self.columns = []
        self.types: dict[str, CellType] = {}
        for column in table.columns:
            if isinstance(column.type, sa.LargeBinary):
                warnings.warn(Notice(f"{table.name}: the bytes of {column.name} are left out"), stacklevel=2)
                continue
            self.columns.append(column)
            self.types[column.name] = _cell_type(column.type)
            if isinstance(column.type, sa.JSON):
                column.type.none_as_null = True
            elif in_sqlite and isinstance(column.type, sa.Date | sa.DateTime | sa.Time):
                column.type = sa.String()
            elif in_sqlite and isinstance(column.type, sa.Numeric):
                column.type = sa.Float()
            elif in_sqlite and isinstance(column.type, sa.Boolean):
                column.type = sa.Integer()  # SQLAlchemy would read the text `false` as true
            elif isinstance(column.type, sa.Uuid):
                column.type = sa.Uuid(as_uuid=False)
        self.key = [column.name for column in table.primary_key]

    @property
    def query(self) -> sa.Select[Any]:
        """All rows, in a fixed order."""
        order = [self.table.c[name] for name in self.key] or self.columns
        return sa.select(*self.columns).order_by(*order)

    def types_of(self, reading: Reading) -> Mapping[str, CellType]:
        """The types of the columns as they were read: decimals that no float holds are texts."""
        reals = [(at, name) for at, name in enumerate(self.types) if self.types[name] == "real"]
        texts = {name for _, cells in reading.rows() for at, name in reals if isinstance(cells[at], str)}
        return {**self.types, **dict.fromkeys(texts, "text")}

    def differs(self, connection: sa.Connection, change: ProposedChange) -> bool:
        """Whether the row of a change has changed in between. Locks it."""
        if change.before is None:
            return bool(connection.execute(self._found(change.after or {}).with_for_update()).all())
        return not self.holds(connection, change.before, lock=True)

    def holds(
        self,
        connection: sa.Connection,
        row: Mapping[str, CellValue],
        names: Collection[str] | None = None,
        *,
        lock: bool = False,
    ) -> bool:
        """Whether some columns of a row, by default all, are as they were. A lock needs write access."""
        compared = {*self.types} if names is None else {*self.key, *names}
        cells = {name: row.get(name) for name in self.types if name in compared}
        query = self._found(cells)
        found = connection.execute(query.with_for_update() if lock else query).all()
        return len(found) == 1 and all(
            _same(self._cell(name, found[0]._mapping[name]), cell) for name, cell in cells.items()
        )

    def make(self, connection: sa.Connection, change: ProposedChange) -> None:
        """Write a change. Columns of a new row without a value get the database's default."""
        after, here = change.after or {}, self._row(change.before or change.after or {})
        values = {name: after[name] for name in change.changed if name in after and name in self.types}
        if change.operation == "insert":
            given = {name: value for name, value in values.items() if value is not None}
            connection.execute(sa.insert(self.table).values(given))
            self._count_on(connection, given)
            if not self.key or not given.keys() >= set(self.key):
                return  # the new row cannot be identified
            found = sa.select(sa.func.count()).select_from(self.table).where(*here)
            count = connection.execute(found).scalar()
        elif change.operation == "update":
            count = connection.execute(sa.update(self.table).where(*here).values(values)).rowcount
        else:
            count = connection.execute(sa.delete(self.table).where(*here)).rowcount
        if count != 1:
            raise ToolError(f"The database changes {count} rows of {self.table.name} in place of one.")

    def _count_on(self, connection: sa.Connection, given: Mapping[str, CellValue]) -> None:
        """Keep PostgreSQL from giving the key of a new row to the next one."""
        counted = self.table.autoincrement_column
        if connection.dialect.name != "postgresql" or counted is None or counted.name not in given:
            return
        name = connection.dialect.identifier_preparer.format_table(self.table)
        sequence = sa.func.pg_get_serial_sequence(name, counted.name)
        known = connection.execute(sa.select(sequence)).scalar()
        if known is not None:
            highest = sa.func.greatest(given[counted.name], sa.func.nextval(known))
            connection.execute(sa.select(sa.func.setval(known, highest)))

    def _found(self, cells: Mapping[str, CellValue]) -> sa.Select[Any]:
        return sa.select(*self.columns).where(*self._row(cells))

    def _row(self, cells: Mapping[str, CellValue]) -> list[sa.ColumnElement[bool]]:
        named = [name for name in self.types if name in cells]
        return [self.table.c[name] == cells.get(name) for name in self.key or named]

    def _cell(self, name: str, value: Any) -> CellValue | Decimal:
        if isinstance(value, Decimal) and value.is_finite():
            return value
        kind = self.types[name]
        return shown_cell(converter(kind, lexical=False)(plain(value)), kind)


def _same(one: CellValue | Decimal, other: CellValue) -> bool:
    """Whether cells are equal, also where a user has given the column another type. Decimals are exact."""
    if isinstance(one, Decimal):
        try:
            return one == Decimal(cell_text(other))
        except InvalidOperation:
            return False
    return cell_text(one) == cell_text(other) or (not isinstance(one, list | dict) and one == other)


def _cell_type(kind: sa.types.TypeEngine[Any]) -> CellType:
    match kind:
        case sa.Boolean():
            return "boolean"
        case sa.Integer():
            return "integer"
        case sa.Numeric() | sa.Float():
            return "real"
        case sa.JSON() | sa.ARRAY():
            return "json"
    return "text"
