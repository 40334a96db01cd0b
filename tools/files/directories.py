"""Writing a directory so that a reader sees the old one or the new one, and never nothing or half of one."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worksmith.tools.errors import InputError
from worksmith.tools.files.locking import InUseError, Lock

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
"""Of Linux's `renameat2`: both names still exist, and each has the other's old content."""


@contextmanager
def directory_atomically(out: Path) -> Iterator[Path]:
    """A directory to write to that takes the place of `out` when all went well, and is gone otherwise.

    The next process that writes there removes the remains of a killed one.

    Raises:
        InputError: there can be no such directory.
        InUseError: another process is writing it.
    """
    out = Path(os.path.realpath(out))
    if out.exists() and not out.is_dir():
        raise InputError("a file is in the directory's place", where=str(out))
    new = _beside(out, "new")
    with Lock(_beside(out, "lock"), out):
        try:
            with _naming(out):
                _tidy(out)
                new.mkdir()
            yield new
            with _naming(out):
                _put_in_place(new, out)
        finally:
            _tidy(out)


def bring_back(out: Path) -> None:
    """Undo an exchange of directories that a killed process left half done."""
    out = Path(os.path.realpath(out))
    old = _beside(out, "old")
    if old.is_dir():
        with suppress(InUseError, InputError), Lock(_beside(out, "lock"), out):
            if not out.exists():
                os.rename(old, out)


def _put_in_place(new: Path, out: Path) -> None:
    if not out.exists():
        os.rename(new, out)
    elif not _exchanged(new, out):
        os.rename(out, _beside(out, "old"))
        os.rename(new, out)


def _tidy(out: Path) -> None:
    old = _beside(out, "old")
    if old.is_dir() and not out.exists():
        os.rename(old, out)
    for rest in (old, _beside(out, "new")):
        shutil.rmtree(rest, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two paths in one step; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if rename is None:
        return False
    paths = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    return bool(rename(*paths, _RENAME_EXCHANGE) == 0)


def _beside(out: Path, what: str) -> Path:
    return out.with_name(f".{out.name}.{what}")


@contextmanager
def _naming(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError("cannot write there", where=str(out), hint=error.strerror) from error
