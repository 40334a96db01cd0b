"""The org behind the API: read by many at once, changed by one at a time, saved as a new world."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TypeVar

import apsw

from worksmith.tools.errors import InputError
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.kinds.crm.schema import TABLES
from worksmith.tools.kinds.crm.settings import SETTINGS_FILE
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, index_changes, search_rows
from worksmith.tools.sqlite.sandbox import SandboxPool
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted
from worksmith.tools.world import World, write_world

T = TypeVar("T")

_LARGE = 1 << 18
"""Bytes of changes from which they are folded into the copies, rather than applied again for each request."""


@dataclass(frozen=True)
class _State:
    """The org at one moment: copies of a database, and later changes."""

    pool: SandboxPool
    changeset: bytes


class OrgStore:
    """One world, in memory. Unsaved changes are lost with it. Thread-safe.

    Args:
        sandboxes: requests that are served at the same time.
    """

    def __init__(self, world: World, sandboxes: int) -> None:
        self._world = world
        self._sandboxes = sandboxes
        self._image = world.image
        self._state = _State(SandboxPool(self._image, TABLES, sandboxes), b"")
        self._changed = False
        self._lock = Lock()

    @property
    def now(self) -> datetime:
        """The org's clock, which stands still."""
        return self._world.manifest.now

    @property
    def changed(self) -> bool:
        return self._changed

    def read(self, body: Callable[[apsw.Connection, bytes], T]) -> T:
        """Do `body` on the current org with a connection and the changes that search indexes lack."""
        state = self._state
        with state.pool.borrow() as sandbox:
            return sandbox.read(state.changeset, lambda connection: body(connection, state.changeset))

    def write(self, body: Callable[[apsw.Connection], T]) -> T:
        """Do `body` and keep its changes, or nothing if it raises."""
        with self._lock:
            state = self._state
            with state.pool.borrow() as sandbox:
                value, changeset = sandbox.run(state.changeset, body)
            if changeset != state.changeset:
                self._changed = True
                self._state = self._folded(changeset) or replace(state, changeset=changeset)
            return value

    def save(self, directory: Path) -> World:
        """Write the org as it is now as a new world, with the rules beside the old one.

        Raises:
            InputError: there is something already, or nothing can be written there.
        """
        check_free(directory)
        with directory_atomically(directory) as place:
            rows = self.read(lambda connection, _: {t.name: _rows(connection, t) for t in TABLES})
            manifest = self._world.manifest
            write_world(
                place,
                [*TABLES, *SEARCH_TABLES],
                {**rows, **search_rows(rows)},
                kind=manifest.kind,
                origin="served",
                now=manifest.now,
                persona=manifest.persona,
                licence=manifest.licence,
            )
            for name in _BESIDE:
                if (self._world.path / name).exists():
                    shutil.copy(self._world.path / name, place / name)
        return World.open(directory)

    def _folded(self, changeset: bytes) -> _State | None:
        if len(changeset) < _LARGE:
            return None
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", self._image)
        with connection:
            apsw.Changeset.apply(changeset, connection)
            index_changes(connection, changeset)
        self._image = connection.serialize("main")
        return _State(SandboxPool(self._image, TABLES, self._sandboxes), b"")


_BESIDE = (SETTINGS_FILE, "policy.json")
"""Files that belong to a world."""


def check_free(directory: Path) -> None:
    """See that a world can be written to `directory` without taking the place of anything.

    Raises:
        InputError: it cannot.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError("there is something already", where=str(directory), hint="name a new directory")


def _rows(connection: apsw.Connection, table: Table) -> list[tuple[str | None, ...]]:
    sql = f"SELECT {columns_sql(table.columns)} FROM {quoted(table.name)} ORDER BY {ROW}"
    rows: Iterable[tuple[str | None, ...]] = connection.execute(sql)
    return list(rows)
