"""Lines of JSON that carry a checksum of themselves, so that an accident to a file is noticed.

The checksum is the last key of the object. Whoever edits a line can write a new one: it is no signature.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from retrievers.strict_json import open_regular
from tools.errors import InputError
from tools.seeding import digest_bytes

_BEFORE, _AFTER = b',"sum":"', b'"}'
_LENGTH = 16


class SealedLine(NamedTuple):
    """A line of a file, and its place `FILE:LINE`.

    Attributes:
        data: without the checksum; None where it does not fit the content.
    """

    where: str
    data: bytes | None


def sealed(data: bytes, *, place: int | None = None) -> bytes:
    """A JSON object, written without a line break, as a line of a file.

    Args:
        place: number of the line in the file, where lines must not change places either.
    """
    return data[:-1] + _BEFORE + _sum(data, place) + _AFTER + b"\n"


def unsealed(line: bytes, *, place: int | None = None) -> bytes | None:
    """The object that `sealed` was given; None if it is another one, or the line another place."""
    line = line.removesuffix(b"\n")
    data, between, end = line.rpartition(_BEFORE)
    data += b"}"
    return data if between and end == _sum(data, place) + _AFTER else None


def sealed_lines(path: Path, what: str, *, placed: bool = False) -> Iterator[SealedLine]:
    """The lines of a file in their order, blank ones left out.

    Args:
        what: the file ought to be, with an article.
        placed: lines were sealed with their places.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with open_regular(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield SealedLine(f"{path}:{number}", unsealed(line, place=number if placed else None))
    except OSError as error:
        raise InputError(f"cannot read {what}: {error.strerror}", where=str(path)) from error


def _sum(data: bytes, place: int | None) -> bytes:
    prefix = b"" if place is None else b"%d " % place
    return digest_bytes(prefix + data, _LENGTH).encode()
