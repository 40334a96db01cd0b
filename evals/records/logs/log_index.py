"""The index of a long episode log: where the last record of each episode lies.

It is a file beside the log, which is derived from it, and made again where it does not fit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Self

from worksmith.evals.records.logs.lines import Place
from worksmith.evals.records.record import EpisodeRecord, WorkUnit
from worksmith.evals.records.run_card import RunCard, index_beside
from worksmith.tools.seeding import digest

_COMMIT = 200
"""Records between two commits. A kill loses the rows since the last one; they are read from the log."""

_SCHEMA = """
CREATE TABLE episodes (
    key TEXT PRIMARY KEY, start INTEGER, size INTEGER, graded INTEGER, task TEXT, trial INTEGER,
    strategy TEXT, scorers TEXT, run TEXT,
    CHECK (typeof(start) = 'integer' AND start >= 0 AND typeof(size) = 'integer' AND size > 0)
) WITHOUT ROWID;
CREATE INDEX of_task ON episodes (task, trial);
CREATE TABLE covered (bytes INTEGER, changed INTEGER);
INSERT INTO covered VALUES (0, 0);
"""

_OF_CARD = "trial < max(:trials, 1) AND :scorers IN ('', scorers)"


class LogIndex:
    """The index of the log in `log`. Use `open`; one thread at a time uses it."""

    def __init__(self, log: Path, rows: sqlite3.Connection) -> None:
        self._log = log
        self._rows = rows
        self._new = 0

    @classmethod
    def create(cls, log: Path) -> Self:
        """An empty index, in place of an earlier one."""
        file = index_beside(log)
        file.unlink(missing_ok=True)
        return cls._empty(log, file)

    @classmethod
    def _empty(cls, log: Path, file: Path | str) -> Self:
        rows = _connect(file)
        rows.executescript(_SCHEMA)
        rows.execute("BEGIN")
        return cls(log, rows)

    @classmethod
    def in_memory(cls, log: Path, records: Iterable[tuple[EpisodeRecord, Place]]) -> Self:
        """The index of a log without one beside it, about 200 bytes an episode."""
        index = cls._empty(log, ":memory:")
        for record, place in records:
            index.add(record, place)
        return index

    @classmethod
    def open(cls, log: Path) -> Self | None:
        """The index of a log; None without one, or if the log has changed except by growing."""
        if not index_beside(log).is_file():
            return None
        try:
            found = cls(log, _connect(index_beside(log)))
        except sqlite3.Error:
            return None
        try:
            if found._fits():
                found._rows.execute("BEGIN")
                return found
        except (sqlite3.Error, TypeError):
            pass  # not an index, or one of another version
        found.close()
        return None

    @property
    def covered(self) -> int:
        """The number of bytes of the log whose records are in the index."""
        return int(self._rows.execute("SELECT bytes FROM covered").fetchone()[0])

    def add(self, record: EpisodeRecord, place: Place) -> None:
        """Note the line after those that are covered."""
        of_task = (record.task_id, record.trial, record.strategy)
        self._rows.execute(
            "INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (record.key, *place, record.graded, *of_task, record.digests.scorers, digest(record.shared)),
        )
        self._rows.execute("UPDATE covered SET bytes = ?", (place.start + place.size,))
        self._new += 1
        if self._new % _COMMIT == 0:
            # A reader may hold the file for too long; the next commit has these rows too.
            with suppress(sqlite3.OperationalError):
                self._commit()
                self._rows.execute("BEGIN")

    def __len__(self) -> int:
        return int(self._rows.execute("SELECT count(*) FROM episodes").fetchone()[0])

    def finished(self, key: str) -> bool:
        """Whether the last record of an episode is a graded one."""
        found = self._rows.execute("SELECT graded FROM episodes WHERE key = ?", (key,)).fetchone()
        return bool(found and found[0])

    def place(self, key: str) -> Place | None:
        """The place of the last record of an episode."""
        found = self._rows.execute("SELECT start, size FROM episodes WHERE key = ?", (key,)).fetchone()
        return Place(*found) if found else None

    def like(self, unit: WorkUnit) -> list[Place]:
        """The places of graded records of the same task, strategy and trial."""
        found = self._rows.execute(
            "SELECT start, size FROM episodes WHERE task = ? AND trial = ? AND strategy = ? AND graded",
            (unit.task_id, unit.trial, unit.strategy),
        )
        return [Place(*row) for row in found]

    def all(self) -> Iterator[Place]:
        """The places of all episodes, by task and trial."""
        found = self._rows.execute("SELECT start, size FROM episodes ORDER BY task, trial, key")
        return (Place(*row) for row in found)

    def of_run(self, card: RunCard) -> Iterator[Place]:
        """Episodes of a run, by task and trial, see `worksmith.evals.records.logs.run_log.of_run`."""
        found = self._rows.execute(
            f"""
            SELECT max(start), size FROM episodes
            WHERE {_OF_CARD} AND run = (SELECT run FROM episodes WHERE {_OF_CARD} ORDER BY start DESC LIMIT 1)
            GROUP BY task, trial ORDER BY task, trial
            """,
            {"trials": card.trials, "scorers": card.scorers},
        )
        return (Place(*row) for row in found)

    def close(self) -> None:
        """Write the new entries."""
        if self._new:
            with suppress(sqlite3.OperationalError):
                self._commit()
        self._rows.close()

    def _commit(self) -> None:
        self._rows.execute("UPDATE covered SET changed = ?", (self._log.stat().st_mtime_ns,))
        self._rows.execute("COMMIT")

    def _fits(self) -> bool:
        """Whether this is a whole index in the current form, of the log or of its beginning."""
        if _objects(self._rows) != _OBJECTS or next(self._rows.execute("PRAGMA quick_check(1)")) != ("ok",):
            return False
        bytes_, changed = self._rows.execute("SELECT bytes, changed FROM covered").fetchone()
        last = "SELECT key, start FROM episodes ORDER BY start DESC LIMIT 1"
        key, start = self._rows.execute(last).fetchone()
        now = self._log.stat()
        if now.st_size <= bytes_:
            return bool(now.st_size == bytes_ and now.st_mtime_ns == changed)
        with self._log.open("rb") as file:
            file.seek(max(0, start))
            line = file.read(bytes_ - start)
        return line.endswith(b"\n") and f'"key":"{key}"'.encode() in line


def _objects(rows: sqlite3.Connection) -> list[tuple[str, str]]:
    """All tables, views, indexes and triggers: those of others could be endless."""
    return rows.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def _own_objects() -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as rows:
        rows.executescript(_SCHEMA)
        return _objects(rows)


_OBJECTS = _own_objects()


def _connect(file: Path | str) -> sqlite3.Connection:
    rows = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    rows.execute("PRAGMA trusted_schema = OFF")
    rows.execute("PRAGMA synchronous = OFF")  # damage by a crash of the machine is repaired
    return rows
