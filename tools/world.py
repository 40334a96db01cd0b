"""A world: the data of one organisation, as a SQLite file and a manifest."""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
from pydantic import BaseModel, ConfigDict

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.directories import bring_back
from worksmith.tools.files.json_files import read_file, read_model
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import digest, digest_bytes
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.memory import Image, open_image
from worksmith.tools.sqlite.schema import ROW, Table, columns_sql, quoted

WORLD_FILE = "world.sqlite"
MANIFEST_FILE = "world.json"

MAPPED = 64 * 2**20
"""Databases of this size or more are mapped: sandboxes, and processes, share their pages."""

_AGAIN = "build or import the suite again"

_FILE_ONLY = (slice(24, 28), slice(92, 100))
"""What SQLite writes to the header of a database in a file: a count of changes, and its own version."""


class WorldManifest(BaseModel):
    """The description of a world without its content.

    Attributes:
        kind: name of its `WorldKind`.
        origin: `generated`, or the name of the system it was imported from.
        industry: name and digest of the industry that it was generated for; empty for the kind's usual one.
        now: the clock of every episode, ISO local time.
        database: digest of the SQLite file's bytes.
        digest: content address of the world: of the database and of all else here but the licence.
        elsewhere: the place of the records, if the database has none and tools need a live system.
        writer: the model that reworded texts of records, with the digest of its settings; empty without one.
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    origin: str
    seed: int | None = None
    scale: float | None = None
    industry: str = ""
    now: datetime
    persona: Persona
    counts: dict[str, int]
    database: str
    digest: str = ""
    licence: str = "MIT"
    elsewhere: str = ""
    writer: str = ""

    @property
    def content_digest(self) -> str:
        """The right value of `digest`."""
        unset = {name for name in ("industry", "writer") if not getattr(self, name)}
        return digest(self.model_dump(mode="json", exclude={"digest", "licence", *unset}))


@dataclass(frozen=True)
class World:
    """An opened world: its manifest and the bytes of its database. Immutable."""

    path: Path
    manifest: WorldManifest
    image: Image = field(repr=False)

    @classmethod
    def open(cls, directory: Path | str) -> World:
        """Read the world in `directory`.

        Raises:
            InputError: if a file is missing, unreadable, or not the one that the manifest describes.
        """
        directory = Path(directory)
        manifest = _read_manifest(directory / MANIFEST_FILE)
        file = directory / WORLD_FILE
        image = _opened(file)
        found = digest_bytes(image)
        if isinstance(image, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            image.madvise(mmap.MADV_DONTNEED)  # else all of it counts as this process's memory
        if found != manifest.database:
            raise InputError("the world differs from its manifest", where=str(file), hint=_AGAIN)
        return cls(directory, manifest, image)

    @property
    def at_rest(self) -> bool:
        """Whether it lies in its folder; another world may lie there if this one was made in memory."""
        file = self.path / MANIFEST_FILE
        return file.is_file() and _read_manifest(file).digest == self.manifest.digest

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows of a table in their order, with the cells as they are stored."""
        connection = open_image(self.image)
        try:
            sql = f"SELECT {columns_sql(columns)} FROM {quoted(table)} ORDER BY {ROW}"
            for cells in connection.execute(sql):
                yield dict(zip(columns, cells, strict=True))
        finally:
            connection.close()


def write_world(
    directory: Path | str,
    tables: Sequence[Table],
    rows: Mapping[str, Iterable[Sequence[CellValue]]],
    *,
    kind: str,
    origin: str,
    now: datetime,
    persona: Persona,
    seed: int | None = None,
    scale: float | None = None,
    industry: str = "",
    licence: str = "MIT",
    elsewhere: str = "",
    writer: str = "",
) -> World:
    """Write a world into `directory`; the same input gives the same bytes.

    Args:
        rows: for each table name its rows, cells in the order of the table's columns. A table without
            an entry stays empty.
        industry, elsewhere, writer: see `WorldManifest`.
    """
    unknown = set(rows) - {table.name for table in tables}
    if unknown:
        raise InputError(f"no such table: {', '.join(sorted(unknown))}")
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    counts = _write(directory / WORLD_FILE, tables, rows)
    image = _opened(directory / WORLD_FILE)
    manifest = WorldManifest(
        kind=kind,
        origin=origin,
        seed=seed,
        scale=scale,
        industry=industry,
        now=now,
        persona=persona,
        counts=counts,
        database=digest_bytes(image),
        licence=licence,
        elsewhere=elsewhere,
        writer=writer,
    )
    manifest = manifest.model_copy(update={"digest": manifest.content_digest})
    write_atomically(directory / MANIFEST_FILE, manifest.model_dump_json(indent=2).encode() + b"\n")
    return World(directory, manifest, image)


def check_schema(world: World, tables: Sequence[Table]) -> None:
    """See that a world's tables are those of its kind, and that it has no triggers and views.

    They would run in every episode, and the world may come from a stranger.

    Raises:
        InputError: they are others, or there are some.
    """
    where = str(world.path / WORLD_FILE)
    try:
        connection = open_image(world.image)
        try:
            found = _schema(connection)
        finally:
            connection.close()
    except apsw.Error as error:
        raise InputError(f"the world is damaged: {error}", where=where, hint=_AGAIN) from error
    own = _schema(_filled(apsw.Connection(":memory:"), tables, {})[0])
    strange = [name for kind, name, _ in sorted(found) if kind in ("trigger", "view")]
    missing = [name for _, name, _ in sorted(own - found)]
    if strange or missing:
        message = (
            f"has {strange[0]}, which its kind has not" if strange else f"has no {missing[0]} as its kind has"
        )
        raise InputError(f"the world {message}", where=where, hint=_AGAIN)


def _schema(connection: apsw.Connection) -> set[tuple[str, str, str]]:
    """The kind, name and statement of each object of a database."""
    return {(str(kind), str(name), str(sql)) for kind, name, sql in connection.execute(_SCHEMA)}


_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def _opened(file: Path) -> Image:
    """The bytes of a world's database; mapped if they are many.

    Raises:
        InputError: it is missing or cannot be read.
    """
    if not file.is_file() or file.stat().st_size < MAPPED:
        return read_file(file, "the world", hint=_AGAIN)
    with file.open("rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def _write(
    file: Path, tables: Sequence[Table], rows: Mapping[str, Iterable[Sequence[CellValue]]]
) -> dict[str, int]:
    """Write a database in one step, without holding it in memory; the same rows give the same bytes.

    Returns:
        The number of rows of each table.
    """
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as folder:
        made = Path(folder) / file.name
        connection = apsw.Connection(str(made))
        try:
            connection.pragma("journal_mode", "off")
            connection.pragma("synchronous", "off")
            _, counts = _filled(connection, tables, rows)
            connection.execute("VACUUM")
        except (apsw.FullError, apsw.IOError) as error:
            number = errno.ENOSPC if isinstance(error, apsw.FullError) else errno.EIO
            raise OSError(number, os.strerror(number), str(file)) from error
        finally:
            connection.close()
        with made.open("r+b") as opened:
            for span in _FILE_ONLY:
                opened.seek(span.start)
                opened.write(bytes(span.stop - span.start))
        os.replace(made, file)
    return counts


def _filled(
    connection: apsw.Connection, tables: Sequence[Table], rows: Mapping[str, Iterable[Sequence[CellValue]]]
) -> tuple[apsw.Connection, dict[str, int]]:
    counts = {}
    with connection:
        for table in tables:
            for statement in table.ddl():
                connection.execute(statement)
            connection.executemany(table.insert_sql(), rows.get(table.name, ()))
            counts[table.name] = connection.execute(f'SELECT count(*) FROM "{table.name}"').get
    return connection, counts


def _read_manifest(file: Path) -> WorldManifest:
    if not os.path.lexists(file):
        bring_back(file.parent)
    if not os.path.lexists(file):
        raise InputError(
            "no world here", where=str(file.parent), hint="make one with `worksmith suite build`"
        )
    manifest = read_model(file, WorldManifest, "the manifest of a world", hint=_AGAIN)
    if manifest.digest != manifest.content_digest:
        hint = f"it was edited: restore the file, or {_AGAIN}"
        raise InputError("the world's manifest does not fit its digest", where=str(file), hint=hint)
    return manifest
