"""Writing files and directories so that a reader never sees half of one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.errors import InputError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path` by `data` in one step: a crash leaves the old file or the new one.

    Raises:
        InputError: there can be no such file.
    """
    handle, temporary = _beside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def check_writable(path: Path) -> None:
    """See that `path` can be written, before the work whose result is to go there.

    Raises:
        InputError: it cannot.
    """
    handle, temporary = _beside(path)
    os.close(handle)
    os.unlink(temporary)


@contextmanager
def directory_atomically(out: Path) -> Iterator[Path]:
    """A directory to write to that takes the place of `out` when all went well, and is gone otherwise.

    Raises:
        InputError: there can be no such directory.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        directory = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise InputError("cannot write there", where=str(out), hint=str(error)) from error
    try:
        yield directory
        directory.chmod(0o777 & ~_umask())
        _swap(directory, out)
    except OSError as error:
        raise InputError("cannot write there", where=str(out), hint=str(error)) from error
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _beside(path: Path) -> tuple[int, str]:
    """A new file in the folder of `path`: its handle and its name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError("cannot write there", where=str(path), hint=str(error)) from error


def _swap(directory: Path, out: Path) -> None:
    """Put `directory` in the place of `out`; what was there goes last."""
    if not out.exists():
        os.rename(directory, out)
        return
    old = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}.old."))
    os.rename(out, old / "suite")
    os.rename(directory, out)
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
