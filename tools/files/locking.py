"""The exclusive use of a file or a folder by one process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from filelock import lock_descriptor

from worksmith.tools.errors import InputError


class InUseError(InputError):
    """Another process is at work there.

    Attributes:
        pid: its number; 0 if unknown.
    """

    def __init__(self, path: Path, pid: int) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{who} is at work here", where=str(path), hint="wait until it is done")
        self.pid = pid


class Lock:
    """The exclusive use of `path`, until it is released or the process is gone, however it ended.

    A file beside or in `path` is locked, not `path` itself, which may be replaced meanwhile. It holds the
    number of the process, and is removed with the release; one of a killed process does not count.

    Args:
        file: that is locked.
        path: what that stands for.

    Raises:
        InUseError: another process, or another lock of this one, has it.
        InputError: there can be no such file.
    """

    def __init__(self, file: Path, path: Path) -> None:
        self._path = file
        self._file = -1
        try:
            while self._file < 0:
                self._try(path)
        except (OSError, ValueError) as error:  # a ValueError for a NUL character
            hint = getattr(error, "strerror", None) or str(error)
            raise InputError("cannot write there", where=str(path), hint=hint) from error

    def release(self) -> None:
        """Release the lock; twice is harmless."""
        if self._file >= 0:
            with suppress(OSError):  # not everywhere can a file be removed that is open
                self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _try(self, path: Path) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o644)
        try:
            if not lock_descriptor(file, blocking=False):
                raise InUseError(path, _number(file))
            if _is_still(self._path, file):  # and was not removed by its last owner just now
                os.ftruncate(file, 0)
                os.write(file, str(os.getpid()).encode())
                self._file = file
        finally:
            if self._file < 0:
                os.close(file)


def _number(file: int) -> int:
    try:
        said = os.read(file, 20)
    except OSError:  # if the locked file cannot be read either
        return 0
    return int(said) if said.isdigit() else 0


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
