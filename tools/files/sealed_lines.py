"""Lines of JSON that carry a checksum of themselves, so that an accident to a file is noticed.

The checksum is the last key of the object. An editor of a line can write a new one: it is not a signature.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.retrievers.strict_json import read_lines
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import cut_torn_line, parsed, tell_torn
from worksmith.tools.seeding import digest_bytes

_BEFORE, _AFTER = b',"sum":"', b'"}'
_LENGTH = 16


class SealedLine(NamedTuple):
    """A line of a file, and its place `FILE:LINE`.

    Attributes:
        data: without the checksum; None if it does not fit the content.
        start, size: the place and the number of its bytes.
    """

    where: str
    data: bytes | None
    start: int = 0
    size: int = 0


def sealed(data: bytes, *, place: int | None = None) -> bytes:
    """A JSON object, written without a line break, as a line of a file.

    Args:
        place: number of the line in the file, where lines must not change places either.
    """
    return data[:-1] + _BEFORE + _sum(data, place) + _AFTER + b"\n"


def unsealed(line: bytes, *, place: int | None = None) -> bytes | None:
    """The object that `sealed` was given; None if it was changed or its line moved."""
    line = line.removesuffix(b"\n")
    data, between, end = line.rpartition(_BEFORE)
    data += b"}"
    return data if between and end == _sum(data, place) + _AFTER else None


def sealed_lines(path: Path, what: str, *, placed: bool = False, start: int = 0) -> Iterator[SealedLine]:
    """The lines of a file that a process appends to; blank ones, and the remains of a kill, are left out.

    Args:
        what: the file ought to be, with an article.
        placed: lines were sealed with their places.
        start: the byte to begin at, the first one of a line.
    """
    place = start
    try:
        for number, line in enumerate(read_lines(path, start), start=1):
            where = f"{path}: line {number} after byte {start:,}" if start else f"{path}:{number}"
            if not line.endswith(b"\n"):
                tell_torn(where, len(line))
            elif line.strip():
                data = unsealed(line, place=number if placed else None)
                yield SealedLine(where, data, place, len(line))
            place += len(line)
    except OSError as error:
        raise InputError(f"cannot read {what}: {error.strerror}", where=str(path)) from error


def whole(line: SealedLine, what: str, *, hint: str | None = None) -> Any:
    """The value of a line.

    Args:
        what: it ought to be, with an article.
        hint: what to do if it is not.
    """
    if line.data is None:
        raise InputError(f"not {what}: its content does not fit its checksum", where=line.where, hint=hint)
    return parsed(line.data, what, where=line.where, hint=hint)


def mended(path: Path, what: str, *, placed: bool = False) -> list[SealedLine]:
    """The whole lines of a file. Other content is removed, with a notice.

    The caller must hold the file's lock, and must be able to produce the removed lines again. A file that
    does not exist has no lines.

    Raises:
        InputError: the file cannot be read or written.
    """
    if not path.exists():
        return []
    lines = list(sealed_lines(path, what, placed=placed))
    cut_torn_line(path)
    kept = [line for line in lines if line.data is not None]
    if damaged := [line.where for line in lines if line.data is None]:
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        place = " or its place" if placed else ""
        told = f"what is there does not fit its checksum{place}; it is taken out and made again"
        warnings.warn(Notice(f"{damaged[0]}{more}: {told}"), stacklevel=2)
        again = (line.data for line in kept if line.data is not None)
        numbered = enumerate(again, start=1)
        write_atomically(path, b"".join(sealed(data, place=n if placed else None) for n, data in numbered))
    return kept


def _sum(data: bytes, place: int | None) -> bytes:
    prefix = b"" if place is None else b"%d " % place
    return digest_bytes(prefix + data, _LENGTH).encode()
