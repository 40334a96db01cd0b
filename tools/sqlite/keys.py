"""The keys of new rows, written as the table writes its own."""

from __future__ import annotations

import re

import apsw

from worksmith.tools.sqlite.schema import ROW, quoted

_SHAPE = re.compile(r"([A-Za-z]{0,6}[-_]?)(\d{1,9})")


def is_counted(connection: apsw.Connection, table: str, column: str) -> bool:
    """Whether the last key is a number, perhaps with a prefix, so that new ones are counted on from it."""
    source, name = quoted(table), quoted(column)
    last = connection.execute(f"SELECT {name} FROM {source} ORDER BY {ROW} DESC LIMIT 1").get
    return last is not None and _SHAPE.fullmatch(str(last)) is not None


def next_key(
    connection: apsw.Connection, table: str, column: str, *, first: str = "1", like: str = "1"
) -> str:
    """The number after the highest, written as the last row writes its own, such as `T-0012`.

    Args:
        first: the next key for a table without one that can be continued.
        like: a condition in SQL on the last row, where not all write theirs alike.
    """
    source, name = quoted(table), quoted(column)
    prefix, digits = _last(connection, table, column, first, like)
    start = len(prefix) + 1
    highest = connection.execute(
        f"SELECT max(CAST(substr({name}, {start}) AS INTEGER)) FROM {source} "
        f"WHERE {name} GLOB ? AND substr({name}, {start}) NOT GLOB '*[^0-9]*'",
        (f"{prefix}[0-9]*",),
    ).get
    following = int(digits) if highest is None else highest + 1
    return f"{prefix}{str(following).zfill(len(digits))}"


def free_key(connection: apsw.Connection, table: str, column: str) -> str:
    """A key that no row has, counted on from that of the last row, such as `T-0012`.

    With an index it takes as long for a million rows as for one; `next_key` looks at all of them.
    """
    source, name = quoted(table), quoted(column)
    prefix, digits = _last(connection, table, column, "1", "1")
    number, step = int(digits), 0
    while True:
        number += step
        key = f"{prefix}{str(number).zfill(len(digits))}"
        if not connection.execute(f"SELECT 1 FROM {source} WHERE {name} = ?", (key,)).fetchall():
            return key
        step = max(1, 2 * step)


def _last(connection: apsw.Connection, table: str, column: str, first: str, like: str) -> tuple[str, str]:
    """The prefix and the digits of the last row's key, or of `first`."""
    last = connection.execute(
        f"SELECT {quoted(column)} FROM {quoted(table)} WHERE {like} ORDER BY {ROW} DESC LIMIT 1"
    ).get
    shape = (_SHAPE.fullmatch(str(last)) if last is not None else None) or _SHAPE.fullmatch(first)
    assert shape is not None
    prefix, digits = shape.groups()
    return prefix, digits
