"""Proposed changes in a SQLite file that several processes share."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.files.locking import Lock
from worksmith.tools.seeding import digest

_SCHEMA = """
CREATE TABLE IF NOT EXISTS proposals (
    id TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    persona TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL NOT NULL,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    content TEXT NOT NULL,
    decided_by TEXT,
    outcome TEXT
);
CREATE INDEX IF NOT EXISTS proposals_of ON proposals (scope, status, created);
"""
_LISTED = 100
_PATIENCE = 30.0
"""Seconds to wait for another process's lock."""
_FORGOTTEN = 7 * 86_400.0
"""Seconds after which undecided proposals are deleted."""


@dataclass(frozen=True)
class Proposal:
    """Proposed changes.

    Attributes:
        persona: the id of the person on whose behalf the task was done.
        created, expires: seconds since 1970.
        status: `pending`, `rejected`, `expired`, `approved`; where a function commits them `committing`, then
            `committed` or `failed`, or `unsettled` if the process died before the result.
        digest: of the content.
        content: the task, its calls and all that they would change.
        outcome: the `result` of the commit function, or its `error`.
    """

    id: str
    persona: str
    created: float
    expires: float
    status: str
    digest: str
    content: Mapping[str, Any]
    decided_by: str | None = None
    outcome: Mapping[str, Any] | None = None

    @property
    def sound(self) -> bool:
        """Whether the content is that of the digest."""
        return content_digest(self.id, self.persona, self.content) == self.digest


def _content(text: str) -> dict[str, Any]:
    """The content in a row of the file; empty if it is damaged."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def content_digest(id: str, persona: str, content: Mapping[str, Any]) -> str:
    return digest([id, persona, content], length=64)


class Proposals:
    """The proposals of one suite. Thread-safe; safe for several processes.

    Args:
        file: is made if it is missing; only its owner may read it.
        scope: separates the proposals of suites in one file.
        clock: seconds since 1970.

    Raises:
        InputError: the file cannot be used.
    """

    def __init__(self, file: Path, scope: str, *, clock: Callable[[], float] = time.time) -> None:
        self._file, self._scope, self._clock = file.absolute(), scope, clock
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
            with self._open() as db:
                db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cannot keep proposals here: {error}", where=str(file)) from error

    def add(self, persona: str, content: Mapping[str, Any], *, seconds: float) -> Proposal:
        now, id = self._clock(), secrets.token_hex(16)
        # The salt keeps readers of the digest from trying values of cells that they may not read.
        salted = json.loads(json.dumps({**content, "salt": secrets.token_hex(16)}))
        made = Proposal(
            id, persona, now, now + seconds, "pending", content_digest(id, persona, salted), salted
        )
        with self._open() as db:
            db.execute(
                "DELETE FROM proposals WHERE scope = ? AND status = 'pending' AND expires < ?",
                (self._scope, now - _FORGOTTEN),
            )
            db.execute(
                "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, NULL, NULL)",
                (id, self._scope, persona, now, made.expires, made.digest, json.dumps(salted)),
            )
        return made

    def get(self, id: str) -> Proposal | None:
        with self._open() as db:
            row = db.execute(
                "SELECT * FROM proposals WHERE id = ? AND scope = ?", (id, self._scope)
            ).fetchone()
        return None if row is None else self._read(row)

    def pending(self, persona: str | None) -> list[Proposal]:
        """The newest ones that can be decided on, of a persona or of all."""
        with self._open() as db:
            rows = db.execute(
                "SELECT * FROM proposals WHERE scope = ? AND status = 'pending' AND expires > ? "
                "AND persona = coalesce(?, persona) ORDER BY created DESC, id LIMIT ?",
                (self._scope, self._clock(), persona, _LISTED),
            ).fetchall()
        return [self._read(row) for row in rows]

    def decide(self, id: str, digest: str, status: str, by: str) -> bool:
        """Give a pending proposal another status; False if it is not pending any more, expired or changed.

        Of concurrent attempts, in any process, one succeeds.
        """
        with self._open() as db:
            done = db.execute(
                "UPDATE proposals SET status = ?, decided_by = ? WHERE id = ? AND scope = ? "
                "AND status = 'pending' AND digest = ? AND expires > ?",
                (status, by, id, self._scope, digest, self._clock()),
            )
            return done.rowcount == 1

    def committing(self, id: str) -> Lock:
        """The lock of who commits a proposal; it ends with the process."""
        return Lock(self._file.with_name(f".{self._file.name}.{id}.committing"), self._file)

    def settle(self, id: str, status: str, outcome: Mapping[str, Any]) -> bool:
        """Keep how a commit ended; False if that is kept already."""
        with self._open() as db:
            done = db.execute(
                "UPDATE proposals SET status = ?, outcome = ? "
                "WHERE id = ? AND scope = ? AND status IN ('committing', 'unsettled')",
                (status, json.dumps(outcome), id, self._scope),
            )
            return done.rowcount == 1

    def commits(self) -> int:
        """The number of ended commits, in any process."""
        with self._open() as db:
            query = "SELECT count(*) FROM proposals WHERE scope = ? AND status IN ('committed', 'failed')"
            (count,) = db.execute(query, (self._scope,)).fetchone()
        return int(count)

    def _read(self, row: sqlite3.Row) -> Proposal:
        overdue = row["status"] == "pending" and row["expires"] <= self._clock()
        return Proposal(
            id=row["id"],
            persona=row["persona"],
            created=row["created"],
            expires=row["expires"],
            status="expired" if overdue else row["status"],
            digest=row["digest"],
            content=_content(row["content"]),
            decided_by=row["decided_by"],
            outcome=json.loads(row["outcome"]) if row["outcome"] else None,
        )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction; a lock of another process is waited for."""
        db = sqlite3.connect(self._file, timeout=_PATIENCE, isolation_level="IMMEDIATE")
        try:
            db.row_factory = sqlite3.Row
            with db:
                yield db
        finally:
            db.close()
