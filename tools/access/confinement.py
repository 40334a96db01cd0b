"""Confinement of one foreign SELECT on a connection: its tables, time and results."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import apsw

from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.bounds import COMPILING, Bounds, bounded, sized
from worksmith.tools.sqlite.cells import BOOLEAN, JSON, CellValue

FUNCTIONS = frozenset((files("worksmith.tools.access") / "functions.txt").read_text().split())
"""What a statement may call: functions of their arguments alone that cannot make much out of little.

`median` and `percentile` are none: SQLite keeps all that they are given in memory, half a gigabyte a second.
"""

_ONE = "exactly one SELECT statement is allowed"


@dataclass(frozen=True, slots=True)
class Limits(Bounds):
    """How much a SELECT may take and give.

    Attributes:
        rows: more are an error, so that no answer is cut unseen.
        characters: of the whole result; more are an error too.
    """

    rows: int = 100
    characters: int = 200_000


class Confinement:
    """Runs one SELECT at a time under its own authorizer and limits, and then restores the connection's.

    Args:
        tables: the temporary tables that may be read.
    """

    def __init__(self, connection: apsw.Connection, tables: frozenset[str], limits: Limits) -> None:
        self._connection = connection
        self._tables = {table.lower() for table in tables}
        self._limits = limits
        self._refused = ""

    def fetch(
        self, text: str, parameters: Sequence[CellValue] = (), *, explain: bool = False
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns and rows of `text`.

        Args:
            explain: `text` asks for SQLite's program instead of the rows; its length is not limited.
        """
        self._refused = ""
        watch = _OnlyOne(explain)
        with (
            self._authorized(),
            sized(self._connection, COMPILING),
            bounded(self._connection, self._limits, "SELECT"),
        ):
            cursor = self._connection.cursor()
            cursor.exec_trace = watch
            try:
                cursor.execute(text, tuple(parameters), can_cache=False)
                rows = _program(cursor) if explain else self._rows(cursor)
            except (apsw.AuthError, apsw.SQLError) as error:
                if not self._refused:
                    raise
                raise ToolError(self._refused) from error
            except UnicodeDecodeError as error:
                raise ToolError(
                    f"the SELECT makes a text that is not valid Unicode: {error.reason}"
                ) from error
            finally:
                cursor.close(True)
        if watch.columns is None:
            raise ToolError(_ONE)
        return watch.columns, rows

    def _rows(self, cursor: apsw.Cursor) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        size = 0
        kinds: list[str | None] = []
        for row in cursor:
            kinds = kinds or [column[1] for column in cursor.description]
            row = tuple(_plain(value, kind) for value, kind in zip(row, kinds, strict=True))
            size += sum(len(str(value)) for value in row)
            if len(rows) == self._limits.rows:
                raise ToolError(f"more than {self._limits.rows} rows: narrow the SELECT down, or add a LIMIT")
            if size > self._limits.characters:
                raise ToolError(f"more than {self._limits.characters} characters: select less")
            rows.append(row)
        return rows

    @contextmanager
    def _authorized(self) -> Iterator[None]:
        authorizer = self._connection.authorizer
        self._connection.authorizer = self._authorize
        try:
            yield
        finally:
            self._connection.authorizer = authorizer

    def _authorize(
        self, action: int, first: str | None, second: str | None, schema: str | None, _inside: str | None
    ) -> int:
        if action == apsw.SQLITE_SELECT:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_FUNCTION:
            return self._verdict(
                (first or second or "").lower() in FUNCTIONS, f"no function {first or second}"
            )
        if action == apsw.SQLITE_READ:
            # No schema is given where no column is read: of a table or of a common table expression.
            table = (first or "").lower()
            known = schema == "temp" and table in self._tables
            unread = schema is None and not second and not table.startswith("sqlite_")
            return self._verdict(known or unread, "only the sources can be read, by their bare names")
        what = apsw.mapping_authorizer_function.get(action, "SQLITE_OTHER")
        name = str(what).removeprefix("SQLITE_").replace("_", " ")
        return self._verdict(False, f"{name} is not allowed: one plain SELECT, nothing else")

    def _verdict(self, allowed: bool, message: str) -> int:
        if allowed:
            return apsw.SQLITE_OK
        self._refused = self._refused or message
        return apsw.SQLITE_DENY


def _program(cursor: apsw.Cursor) -> list[tuple[Any, ...]]:
    """The steps that EXPLAIN lists, without those that hold a blob, which apsw cannot read as a text.

    No step that opens a table holds one.
    """
    steps: list[tuple[Any, ...]] = []
    while True:
        try:
            steps.append(next(cursor))
        except StopIteration:
            return steps
        except UnicodeDecodeError:
            continue


def _plain(value: Any, kind: str | None) -> Any:
    """A value that JSON can write: blobs and infinite numbers become texts, as SQLite writes them.

    Args:
        kind: the SQL type of the column that it comes from, if it comes from one.
    """
    if kind == BOOLEAN and value in (0, 1):
        return bool(value)
    if kind == JSON and isinstance(value, str):
        with suppress(ValueError):  # of a UNION, another column
            return json.loads(value)
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, float) and not math.isfinite(value):
        return "Inf" if value > 0 else "-Inf"
    return value


class _OnlyOne:
    """Lets exactly one reading statement start; knows the names of its columns."""

    def __init__(self, explain: bool) -> None:
        self._explain = explain
        self.columns: list[str] | None = None

    def __call__(self, cursor: apsw.Cursor, _text: str, _bindings: Any) -> bool:
        if not cursor.has_vdbe:  # nothing but a comment
            return True
        if self.columns is not None or not cursor.is_readonly or cursor.is_explain != int(self._explain):
            raise ToolError(_ONE)
        self.columns = [column[0] for column in cursor.description]
        return True
