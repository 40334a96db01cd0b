"""What an episode costs at the database, whatever the size of the world."""

from __future__ import annotations

import statistics
import time
from typing import Any

import apsw

from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.sqlite.schema import Table, columns_sql

NAME = "episode"
DESCRIPTION = "microseconds to open an episode, write five times, capture and roll back, by size of world"

_NOTES = Table("notes", ("note_id", "owner", "text"), generated=("note_id",), indexes=("note_id",))
_ROW_BYTES = 230
"""What a row with its index entry takes on disk, about."""

_SIZES_MB = (0.2, 2.0, 20.0, 200.0)


def run(quick: bool) -> dict[str, Any]:
    """Measure all sizes; the median of several rounds of many episodes each."""
    microseconds, megabytes = {}, {}
    for size in _SIZES_MB:
        image = _image(rows=int(size * 1e6 / _ROW_BYTES))
        sandbox = Sandbox(image, (_NOTES,))
        megabytes[str(size)] = round(len(image) / 1e6, 1)
        del image
        rounds = [_round(sandbox, episodes=300) for _ in range(7 if quick else 21)]
        microseconds[str(size)] = round(statistics.median(rounds), 1)
    return {
        "microseconds": microseconds,
        "max_microseconds": max(microseconds.values()),
        "megabytes": megabytes,
    }


def _round(sandbox: Sandbox, episodes: int) -> float:
    start = time.perf_counter()
    for _ in range(episodes):
        sandbox.run(b"", _five_writes)
    return (time.perf_counter() - start) / episodes * 1e6


def _five_writes(connection: apsw.Connection) -> None:
    insert = f"INSERT INTO notes ({columns_sql(_NOTES.columns)}) VALUES (?, ?, ?)"
    connection.execute(insert, ("new-1", "sam", "first"))
    connection.execute(insert, ("new-2", "sam", "second"))
    connection.execute("UPDATE notes SET text = ? WHERE note_id = ?", ("changed", "note-17"))
    connection.execute("UPDATE notes SET owner = ? WHERE note_id = ?", ("ada", "note-400"))
    connection.execute("DELETE FROM notes WHERE note_id = ?", ("note-99",))


def _image(rows: int) -> bytes:
    connection = apsw.Connection(":memory:")
    for statement in _NOTES.ddl():
        connection.execute(statement)
    connection.execute(
        f"""
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO notes ({columns_sql(_NOTES.columns)})
        SELECT 'note-' || n, 'owner-' || (n % 50), printf('%0170d', n) FROM numbers
        """,
        (rows,),
    )
    return connection.serialize("main")
