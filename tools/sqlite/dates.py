"""SQLite's date functions without the time of day, which is not that of the episode.

There are many ways to write `now`, and to ask for the zone of this machine. So no text is searched for them:
each call is made as part of a generated column, where SQLite itself refuses calls that depend on more than
their arguments.
"""

from __future__ import annotations

import apsw

from worksmith.tools.errors import ToolError

DATE_FUNCTIONS = ("date", "datetime", "julianday", "strftime", "time", "unixepoch")

NO_CLOCK = "the time of day is not known here: write the date out"

Value = str | int | float | bytes | None


def register_dates(connection: apsw.Connection) -> None:
    """Have `connection` call these functions, which raise `ToolError` where they are asked for the time."""
    for name in DATE_FUNCTIONS:
        connection.create_scalar_function(name, _Function(name), deterministic=True)


class _Function:
    """One of the functions, in a small separate database. Not thread-safe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._connection: apsw.Connection | None = None
        self._known: set[int] = set()

    def __call__(self, *arguments: Value) -> Value:
        if not arguments:  # which is short for now
            raise ToolError(NO_CLOCK)
        connection = self._connection
        if connection is None:
            connection = self._connection = apsw.Connection(":memory:")
        count = len(arguments)
        columns = ", ".join(f"a{number}" for number in range(count))
        if count not in self._known:
            connection.execute(f"CREATE TABLE t{count}({columns}, result AS ({self._name}({columns})))")
            self._known.add(count)
        holes = ", ".join("?" * count)
        try:
            connection.execute(f"REPLACE INTO t{count}(rowid, {columns}) VALUES (1, {holes})", arguments)
            found: Value = connection.execute(f"SELECT result FROM t{count}").get
        except apsw.SQLError as error:
            raise ToolError(NO_CLOCK if "non-deterministic" in str(error) else str(error)) from None
        return found
