"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from worksmith.tools.errors import InputError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path` by `data` in one step: a crash leaves the old file or the new one.

    Raises:
        InputError: there can be no such file.
        OSError: the disk is full.
    """
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces `path` in one step when its block ends; after an error the old one stays.

    Raises:
        InputError: there can be no such file.
        OSError: the disk is full.
    """
    handle, temporary = _beside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):  # a full disk names no file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def check_writable(path: Path) -> None:
    """See that `path` can be written, before the work whose result is to go there."""
    if path.is_dir():
        raise InputError("this is a directory", where=str(path), hint="name a file")
    handle, temporary = _beside(path)
    os.close(handle)
    os.unlink(temporary)


def check_free(path: Path, *, force: bool) -> None:
    """See that `path` can be written, and that no file is there which may not be replaced."""
    if path.exists() and not force:
        hint = "give --force to replace it, or another name"
        raise InputError("the file is already there", where=str(path), hint=hint)
    check_writable(path)


def append(file: int, data: bytes, path: Path) -> None:
    """Add `data` to a file that is open for appending, in one write: all of it or nothing."""
    try:
        written = os.write(file, data)
        if written != len(data):
            os.ftruncate(file, os.fstat(file).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _beside(path: Path) -> tuple[int, str]:
    """A new file in the folder of `path`: its handle and its name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError("cannot write there", where=str(path), hint=str(error)) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
