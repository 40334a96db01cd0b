"""Databases in memory: none tells the time of day, and what goes into temporary files is limited."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from tools.sqlite.dates import register_dates

_NAME = "worksmith-metered"

_room = threading.local()
"""Its `left` is how many bytes the statement in this thread may still write; unset without a limit."""


def open_memory() -> apsw.Connection:
    """An empty database in memory, on which `limited` holds and no function tells the time of day.

    SQLite sorts and groups in memory first and in temporary files then. A few joined tables make gigabytes of
    them in seconds, and no setting of SQLite limits that.
    """
    connection = apsw.Connection(":memory:", vfs=_VFS.name)
    register_dates(connection)
    return connection


@contextmanager
def limited(connection: apsw.Connection, size: int) -> Iterator[None]:
    """Statements in the block write at most `size` bytes to temporary files; past that they are `FullError`s.

    Raises:
        ValueError: the connection is not from `open_memory`.
    """
    if connection.open_vfs != _VFS.name:
        raise ValueError("the connection is not from tools.sqlite.memory.open_memory")
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


class _Metered(apsw.VFS):
    """SQLite's own way to files, with a look at what is written."""

    def __init__(self) -> None:
        self.name = _NAME
        super().__init__(_NAME, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _MeteredFile("", name, flags)


_VFS = _Metered()
