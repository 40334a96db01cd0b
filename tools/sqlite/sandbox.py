"""A world opened for episodes, lent out for one piece of work at a time."""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import apsw

from worksmith.tools.sqlite.memory import Image, open_image, open_memory
from worksmith.tools.sqlite.schema import Table

T = TypeVar("T")

_REFUSED = frozenset(
    {
        apsw.SQLITE_TRANSACTION,
        apsw.SQLITE_ATTACH,
        apsw.SQLITE_DETACH,
        apsw.SQLITE_PRAGMA,
        apsw.SQLITE_ALTER_TABLE,
        apsw.SQLITE_CREATE_TABLE,
        apsw.SQLITE_CREATE_TRIGGER,
        apsw.SQLITE_CREATE_VIEW,
        apsw.SQLITE_CREATE_INDEX,
        apsw.SQLITE_DROP_TABLE,
        apsw.SQLITE_DROP_INDEX,
    }
)
"""Statements that would outlive a rollback, reach outside the database, or change its shape."""


_SESSION_PRAGMAS = frozenset({"table_info", "table_xinfo", "defer_foreign_keys", "data_version"})
"""The needs of changesets and of full-text search; they end with the transaction."""


class Sandbox:
    """A world to work in, which leaves no trace: `run` always rolls back.

    It is a private copy, or over a mapped image that all sandboxes share, where only changes are private.

    An episode at rest is a changeset (bytes). `run` re-applies it, does the work, captures the changes of the
    episode so far, and returns to the unchanged world. The cost depends on the size of the changes, not of
    the world.

    Not thread-safe; borrow one from a `SandboxPool`.
    """

    def __init__(self, image: Image, tables: Sequence[Table]) -> None:
        self._watched = [table.name for table in tables if table.writable]
        if isinstance(image, mmap.mmap):
            self._connection = open_image(image)
        else:
            self._connection = open_memory()
            self._connection.deserialize("main", image)
        # Else SQLite plans a statement again for each parameter, which is slower than running it.
        self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self._own = False
        self._connection.authorizer = self._authorize

    def run(self, changeset: bytes, body: Callable[[apsw.Connection], T]) -> tuple[T, bytes]:
        """Do `body` on top of `changeset`, capture all changes, roll back.

        Returns:
            What `body` returned, and the changeset of the episode after it.
        """
        connection = self._connection
        self._transaction("BEGIN")
        try:
            session = apsw.Session(connection, "main")
            try:
                for table in self._watched:
                    session.attach(table)
                if changeset:
                    apsw.Changeset.apply(changeset, connection)
                result = body(connection)
                return result, session.changeset()
            finally:
                session.close()
        finally:
            self._roll_back()

    def read(self, changeset: bytes, body: Callable[[apsw.Connection], T]) -> T:
        """Do `body` on top of `changeset` and roll back; its writes are dropped."""
        connection = self._connection
        self._transaction("BEGIN")
        try:
            if changeset:
                apsw.Changeset.apply(changeset, connection)
            return body(connection)
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:  # some errors of SQLite have rolled back already
            self._transaction("ROLLBACK")

    def _transaction(self, statement: str) -> None:
        """Do what statements of tools may not; not cached, else theirs would be let through."""
        self._own = True
        try:
            self._connection.execute(statement, can_cache=False)
        finally:
            self._own = False

    def _authorize(
        self,
        operation: int,
        first: str | None,
        _second: str | None,
        _database: str | None,
        _trigger: str | None,
    ) -> int:
        if operation not in _REFUSED or (operation == apsw.SQLITE_PRAGMA and first in _SESSION_PRAGMAS):
            return apsw.SQLITE_OK
        own = self._own and operation == apsw.SQLITE_TRANSACTION
        return apsw.SQLITE_OK if own else apsw.SQLITE_DENY


_usual = os.cpu_count() or 1


def keep_one_sandbox() -> None:
    """Let pools without a given size have one sandbox, in a process that is one of several on a machine."""
    global _usual
    _usual = 1


class SandboxPool:
    """About one sandbox a core, shared by any number of episodes. Thread-safe."""

    def __init__(self, image: Image, tables: Sequence[Table], size: int | None = None) -> None:
        self._image = image
        self._tables = tables
        self._room = threading.Semaphore(size or _usual)
        self._free: list[Sandbox] = []

    @contextmanager
    def borrow(self) -> Iterator[Sandbox]:
        """A sandbox for the duration of the block; waits until one is free."""
        with self._room:
            try:
                sandbox = self._free.pop()
            except IndexError:
                sandbox = Sandbox(self._image, self._tables)
            try:
                yield sandbox
            finally:
                self._free.append(sandbox)
