"""Databases in memory, or over a shared image.

They do not reveal the time of day, and their temporary files are limited.
"""

from __future__ import annotations

import itertools
import mmap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from worksmith.tools.sqlite.dates import register_dates

_NAME = "worksmith-metered"

Image = bytes | mmap.mmap
"""The bytes of a database file, in memory or mapped."""

_CACHE_KIB = 16_384
"""Pages that a connection over an image keeps; a scan copies further ones again."""

_room = threading.local()
"""Its `left` is how many bytes the statement in this thread may still write; unset without a limit."""


def open_memory() -> apsw.Connection:
    """An empty database in memory, with the bounds of `limited` and without functions for the time of day.

    SQLite sorts and groups in memory first and in temporary files then. A few joined tables make gigabytes of
    them in seconds, and no setting of SQLite limits that.
    """
    connection = apsw.Connection(":memory:", vfs=_VFS.name)
    register_dates(connection)
    return connection


def open_image(image: Image) -> apsw.Connection:
    """A database that reads its pages from `image`; any number of connections share one.

    A transaction may change it, which takes memory for the changed pages alone. It can only be rolled back: a
    commit is an error.

    Raises:
        apsw.Error: the image is not a database.
    """
    name = f"/image-{next(_numbers)}"
    _VFS.images[name] = image
    try:
        connection = apsw.Connection(name, vfs=_VFS.name)
        # Exclusive, else the cache is dropped between reads; no spilling, since it cannot be written.
        connection.pragma("locking_mode", "exclusive")
        connection.pragma("journal_mode", "memory")
        connection.pragma("cache_spill", "off")
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()  # opens the file, and locks it
    finally:
        _VFS.images.pop(name, None)
    register_dates(connection)
    return connection


_numbers = itertools.count()


@contextmanager
def limited(connection: apsw.Connection, size: int) -> Iterator[None]:
    """A block whose statements write at most `size` bytes to temporary files, or fail with `FullError`."""
    if connection.open_vfs != _VFS.name:
        raise ValueError(
            "the connection is not from open_memory or open_image of worksmith.tools.sqlite.memory"
        )
    _room.left = size
    try:
        yield
    finally:
        del _room.left


class _MeteredFile(apsw.VFSFile):
    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        left = getattr(_room, "left", None)
        if left is not None:
            if len(data) > left:
                raise apsw.FullError
            _room.left = left - len(data)
        super().xWrite(data, offset)


class _ImageFile(apsw.VFSFile):
    """A database file that is an image. Nothing can be written."""

    def __init__(self, image: Image) -> None:
        self._image = image

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        return self._image[offset : offset + amount]

    def xFileSize(self) -> int:  # noqa: N802
        return len(self._image)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        raise apsw.ReadOnlyError

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        raise apsw.ReadOnlyError

    def xSync(self, flags: int) -> None:  # noqa: N802
        pass

    def xLock(self, level: int) -> None:  # noqa: N802
        pass

    def xUnlock(self, level: int) -> None:  # noqa: N802
        pass

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        return False

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xSectorSize(self) -> int:  # noqa: N802
        return 4096

    def xClose(self) -> None:  # noqa: N802
        pass


class _Metered(apsw.VFS):
    """SQLite's own way to temporary files, with a count of written bytes; other files are images.

    Attributes:
        images: those about to be opened, by name.
    """

    def __init__(self) -> None:
        self.name = _NAME
        self.images: dict[str, Image] = {}
        super().__init__(_NAME, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return _MeteredFile("", name, flags)
        image = self.images.get(name.filename() if isinstance(name, apsw.URIFilename) else name)
        if image is None or not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            raise apsw.CantOpenError
        flags[1] = flags[0]
        return _ImageFile(image)

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return False


_VFS = _Metered()
