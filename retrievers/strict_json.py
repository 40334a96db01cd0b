"""JSON that anybody may have written, read so that it cannot hang, exhaust or mislead the reader.

It lies in the lowest package because every other one reads such files too; `worksmith.tools.files.json_files`
adds the messages.
"""

from __future__ import annotations

import codecs
import errno
import math
import os
import re
import stat
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import jiter

MOST_BYTES = 2**30
"""The size of the longest document, or line of a file of JSON lines, that is read."""

_HUGE_NUMBER = re.compile(rb"\d[eE]\+?\d{3}|\d{309}")
"""What may become an infinite float."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; a FIFO or a device is never waited for."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no file can have a name with a NUL character", str(path))
    _check_regular(path, os.stat(path).st_mode)  # before it is opened: opening a device may already act on it
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_regular(path, os.fstat(file).st_mode)
    except OSError:
        os.close(file)
        raise
    return os.fdopen(file, "rb")


def read_lines(path: Path, start: int = 0) -> Iterator[bytes]:
    """The lines of a regular file from the byte `start`, with their line breaks."""
    with open_regular(path) as file:
        file.seek(start)
        while line := file.readline(MOST_BYTES + 1):
            if len(line) > MOST_BYTES:
                raise OSError(errno.EFBIG, f"a line of more than {MOST_BYTES:,} bytes", str(path))
            yield line


def open_text(path: Path, newline: str | None = "") -> TextIO:
    """Open a regular file of text in UTF-8, with or without a byte order mark.

    Args:
        newline: as in `open`; line ends are left as they are unless it is None.

    Raises:
        OSError: it cannot be opened, or is not a regular file.
    """
    return TextIOWrapper(open_regular(path), encoding="utf-8-sig", newline=newline)


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes", str(path))
    return data


def parse_json(data: bytes) -> Any:
    """The value that `data` is, with or without a byte order mark.

    Raises:
        ValueError: it is not JSON; or it is nested more than 200 deep, has a key twice in one object, a text
            that is not Unicode (half a surrogate pair), or a number that is infinite or NaN.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    if _HUGE_NUMBER.search(data):
        _check_finite(value)
    return value


def _check_regular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def _check_finite(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large")
    if isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            _check_finite(inside)
