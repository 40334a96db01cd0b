"""Worlds made of user tables, kept in a folder under their content."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.files.locking import InUseError, Lock
from worksmith.tools.kinds.own_data.sources.tables import SourceTable
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.cells import CellType, CellValue
from worksmith.tools.sqlite.keys import is_counted
from worksmith.tools.sqlite.memory import open_memory
from worksmith.tools.sqlite.schema import ROW, SQL_TYPES, Table
from worksmith.tools.world import World, write_world

KIND = "own_data"

FOLDER = Path(".worksmith/worlds")
"""The folder of worlds beside a project."""

_FORMAT = 2
"""Counts changes of how sources are read, so that no world is reused that would be read otherwise today."""

_PATIENCE = 600.0
"""Seconds to wait for another process that is writing the same world."""


def build_world(
    tables: Sequence[SourceTable], *, now: datetime, persona: Persona, folder: Path | None = None
) -> World:
    """The world of some tables. One that was built of the same content before is opened and not built again.

    Args:
        now: the clock of its episodes.
        persona: the default persona.
        folder: of all such worlds; default is `.worksmith/worlds` in the working directory.

    Raises:
        InputError: something in a source is wrong, or the folder cannot be written.
    """
    _check_index_names(tables)
    folder = FOLDER if folder is None else folder
    content = [[table.digest for table in tables], now.isoformat(), persona.model_dump(mode="json"), _FORMAT]
    path = folder / digest(content, 32)
    found = _kept(path)
    if found is not None:
        return found
    with _alone(path):
        return _kept(path) or _written(path, tables, now, persona)


def renewed_world(world: World, tables: Sequence[Table], changed: Sequence[SourceTable]) -> World:
    """A world with other rows in some of its tables. It is not in the folder.

    Raises:
        InputError: a cell is not of its column's type, or a key is empty or repeated.
    """
    rows: dict[str, Iterable[Sequence[CellValue]]] = {table.name: table.rows() for table in changed}
    for table in tables:
        if table.name not in rows:
            rows[table.name] = map(tuple, map(dict.values, world.rows(table.name, table.columns)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        manifest = world.manifest
        new = write_world(
            folder,
            tables,
            rows,
            kind=manifest.kind,
            origin=manifest.origin,
            now=manifest.now,
            persona=manifest.persona,
            licence=manifest.licence,
        )
    return World(world.path, new.manifest, new.image)


def tables_of(world: World) -> tuple[Table, ...]:
    """The tables of a world with their types. Each has one index, that of its key.

    Keys that are counted on count as generated: in which order two new rows were made does not matter.
    """
    kinds: dict[str, CellType] = {sql: kind for kind, sql in SQL_TYPES.items()}
    connection = open_memory()
    try:
        connection.deserialize("main", world.image)
        found = []
        for name in world.manifest.counts:
            fields = list(connection.execute("SELECT name, type FROM pragma_table_info(?)", (name,)))
            keys = connection.execute(
                "SELECT i.name FROM pragma_index_list(?) AS l, pragma_index_info(l.name) AS i", (name,)
            )
            types = {column: kinds[sql] for column, sql in fields if column != ROW}
            indexes = tuple(key for (key,) in keys)
            generated = tuple(key for key in indexes if is_counted(connection, name, key))
            columns = tuple(types)
            found.append(
                Table(name, columns, generated=generated, exact=columns, indexes=indexes, types=types)
            )
        return tuple(found)
    finally:
        connection.close()


def _kept(path: Path) -> World | None:
    """The existing world; None without one, or if it is damaged and must be built again."""
    try:
        return World.open(path) if path.is_dir() else None
    except InputError:
        return None


def _written(path: Path, tables: Sequence[SourceTable], now: datetime, persona: Persona) -> World:
    with directory_atomically(path) as new:
        written = write_world(
            new,
            [table.table for table in tables],
            {table.name: table.rows() for table in tables},
            kind=KIND,
            origin="own tables",
            now=now,
            persona=persona,
            licence="",
        )
    return World(path, written.manifest, written.image)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """No other process builds this world in the block. Waits for one that does."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            lock = Lock(path.with_name(f".{path.name}.building"), path)
            break
        except InUseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
    with lock:
        ignored = path.with_name(".gitignore")
        if not ignored.exists():
            write_atomically(ignored, b"*\n")
        yield


def _check_index_names(tables: Sequence[SourceTable]) -> None:
    """Refuse a table whose name the index of another table would have."""
    names = {table.name.lower() for table in tables}
    for table in tables:
        for column in table.columns:
            if f"{table.name}_{column}".lower() in names:
                message = (
                    f"no table can be called {table.name}_{column}: {table.name} has the column {column}"
                )
                raise InputError(message, where=table.reading.where, hint="give one of them another name")
