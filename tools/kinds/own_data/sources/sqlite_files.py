"""SQLite files: their tables are read, and nothing is written or run."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from worksmith.retrievers.strict_json import MOST_BYTES, open_regular, parse_json
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, place, plain
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.schema import columns_sql, quoted

_MAGIC = b"SQLite format 3\0"


class SqliteTable(Reading):
    """A table of an SQLite file.

    Args:
        data: the whole database.
        fields: name, SQL type and place in the primary key (0 outside) of each column.
    """

    def __init__(
        self, where: str, data: bytes, digest: str, name: str, fields: list[tuple[str, str, int]]
    ) -> None:
        self.where = f"{where}, table {name}"
        self.digest = digest
        self._data = data
        self._name = name
        self._fields = [field for field, _, _ in fields]
        declared = sorted(
            (place, column) for column, (_, _, place) in zip(self.columns, fields, strict=True) if place
        )
        self.key = declared[0][1] if len(declared) == 1 else None
        self.parts = [column for _, column in declared] if len(declared) > 1 else ()
        self._booleans, self._json = (
            frozenset(
                c
                for c, (_, kind, _) in zip(self.columns, fields, strict=True)
                if kind.upper().startswith(start)
            )
            for start in ("BOOL", "JSON")
        )

    def names(self) -> Sequence[object]:
        return self._fields

    def rows(self) -> Iterator[Row]:
        connection = _opened(self._data)
        number = 0
        try:
            # Not by an index, which might have another order.
            cursor = connection.execute(
                f"SELECT {columns_sql(self._fields)} FROM {quoted(self._name)} NOT INDEXED"
            )
            for number, cells in enumerate(cursor, start=1):
                yield number, [self._cell(value, number, i) for i, value in enumerate(cells)]
        except (apsw.Error, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", where=f"{self.where}, row {number + 1}") from error
        finally:
            connection.close(True)

    def _cell(self, value: apsw.SQLiteValue, row: int, column: int) -> CellValue:
        if isinstance(value, bytes):
            where = place(self, row, self.columns[column])
            raise InputError(
                "a cell cannot hold bytes", where=where, hint="store a text there, or drop the column"
            )
        if isinstance(value, str) and self.columns[column] in self._json:
            with suppress(ValueError):
                return plain(parse_json(value.encode()))
        if value is not None and self.columns[column] in self._booleans and value in (0, 1):
            return bool(value)
        return value


def sqlite_tables(path: Path) -> dict[str, SqliteTable]:
    """The tables of an SQLite file by name; other characters than those of words become `_`.

    Views, virtual tables and triggers are left out, the former with a notice.
    """
    where = str(path)
    data = _content(path)
    digest = digest_bytes(data, 64)
    connection = _opened(data)
    try:
        listed = list(
            connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main' ORDER BY name")
        )
        names = [name for name, kind in listed if kind == "table" and not name.startswith("sqlite_")]
        fields = {
            name: list(
                connection.execute(
                    "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", (name,)
                )
            )
            for name in names
        }
    except (apsw.Error, UnicodeDecodeError) as error:
        raise InputError(f"the database is damaged: {error}", where=where) from error
    finally:
        connection.close(True)
    left = [name for name, kind in listed if kind in ("view", "virtual")]
    if not names:
        hint = f"views cannot be read: {', '.join(left)}" if left else None
        raise InputError("the database has no tables", where=where, hint=hint)
    if left:
        warnings.warn(
            Notice(f"{where}: only tables are read, which leaves out {', '.join(left)}"), stacklevel=2
        )
    found: dict[str, SqliteTable] = {}
    for name in names:
        word = re.sub(r"\W", "_", name)
        if word in found:
            raise InputError(f"two tables would be called {word!r}", where=where, hint=f"rename {name!r}")
        found[word] = SqliteTable(where, data, digest, name, fields[name])
    return found


def _content(path: Path) -> bytes:
    """The whole database, with its write-ahead log."""
    try:
        with open_regular(path) as file:
            head = file.read(len(_MAGIC))
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise InputError(f"cannot read the database: {error.strerror}", where=str(path)) from error
    if head != _MAGIC:
        raise InputError("not an SQLite database", where=str(path))
    if size > MOST_BYTES:
        raise InputError(f"the database has more than {MOST_BYTES:,} bytes", where=str(path))
    try:
        connection = apsw.Connection(
            f"{path.resolve().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()  # else damage gives no error
            data = bytearray(connection.serialize("main"))
        finally:
            connection.close(True)
    except apsw.Error as error:
        raise InputError(f"cannot read the database: {error}", where=str(path)) from error
    data[18:20] = b"\1\1"  # its log is gone
    return bytes(data)


def _opened(data: bytes) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", data)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    return connection
