"""The interface of all readers: the rows of a table as they stand in its source, with their places."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_file
from worksmith.tools.kinds.own_data.sources.names import checked_columns
from worksmith.tools.numbers import listed
from worksmith.tools.sqlite.cells import CellType, CellValue, json_text

Row = tuple[int, Sequence[CellValue]]
"""The place of a row, and its cells in the order of the columns."""

_AT_ONCE = 10_000


class JsonText(str):
    """The text of a nested value: a column that has one is of the type `json`."""

    def __repr__(self) -> str:  # digests of rows distinguish it from a text
        return f"JSON {super().__repr__()}"


class Reading(ABC):
    """A table in its source. Rows can be read again and are then the same.

    Attributes:
        where: the source, for messages.
        digest: content address of the source.
        unit: what places count, e.g. `row` or `line`.
        lexical: cells are texts that may be a number or a boolean, as in a CSV file.
        key: the column that the source itself declares as the key.
        parts: the columns that it declares as the key together.
        types: the types that it declares, by column.
    """

    where: str
    digest: str
    unit = "row"
    lexical = False
    key: str | None = None
    parts: Sequence[str] = ()
    types: Mapping[str, CellType] = MappingProxyType({})

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises:
            InputError: the source is damaged, or a name is impossible.
        """
        return checked_columns(self.names(), self.where)

    @abstractmethod
    def names(self) -> Sequence[object]:
        """The names of the columns as the source has them."""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The rows in order.

        Raises:
            InputError: the source is damaged.
        """


class Portion(NamedTuple):
    """Some rows of a table, column by column."""

    places: list[int]
    columns: list[tuple[CellValue, ...]]


def portions(reading: Reading) -> Iterator[Portion]:
    """The rows of a table in portions that fit into memory."""
    rows = reading.rows()
    while portion := list(islice(rows, _AT_ONCE)):
        yield Portion(
            [place for place, _ in portion], list(zip(*(cells for _, cells in portion), strict=True))
        )


def place(reading: Reading, row: int, column: str | None = None) -> str:
    """A place in a source, for messages."""
    return f"{reading.where}, {reading.unit} {row}" + (f", column {column}" if column is not None else "")


def read_bytes(path: Path) -> bytes:
    """The bytes of a file of a table.

    Raises:
        InputError: it cannot be read; FIFOs, devices and folders are refused.
    """
    return read_file(path, "the table")


def check_utf8(data: bytes, where: str) -> None:
    """Refuse bytes that are not UTF-8."""
    again = "save the file as UTF-8 (spreadsheets call it `CSV UTF-8`)"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("the file is UTF-16, and UTF-8 is needed", where=where, hint=again)
    nul = data.find(b"\0")
    if nul >= 0:
        hint = "it is no text file, is damaged, or is UTF-16; " + again
        raise InputError("the file has a NUL byte", where=f"{where}, line {_line(data, nul)}", hint=hint)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        hint = f"if it is Windows-1252: iconv -f cp1252 -t utf-8 OLD > NEW; or {again}"
        raise InputError(
            f"not UTF-8: the byte 0x{data[error.start]:02X}",
            where=f"{where}, line {_line(data, error.start)}",
            hint=hint,
        ) from error


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def plain(value: Any) -> CellValue:
    """A value of Python, JSON, Parquet or pandas as a cell.

    Dates and times are ISO texts, and so are decimals that no float holds; nested values are `JsonText`, NaN
    is NULL.
    """
    if value is None or type(value) in (str, int, bool):
        return value  # type: ignore[no-any-return]
    if hasattr(value, "tolist") and hasattr(value, "dtype"):  # of NumPy
        return plain(listed(value))
    match value:
        case float():
            if math.isinf(value):
                raise ValueError("an infinite number")
            return None if math.isnan(value) else float(value)
        case datetime() | date() | time():
            return None if value != value else str(value)  # pandas' NaT is a datetime
        case str() | UUID() | timedelta():
            return str(value)
        case int():
            return int(value)
        case Decimal():
            number = float(value)
            if not value.is_finite():
                return plain(number)
            if value.as_tuple().exponent == 0:
                return int(value)
            return number if Decimal(repr(number)) == value else str(value)
        case Mapping() | list() | tuple():
            try:
                return JsonText(json_text(_inside(value)))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"a {type(value).__name__} that is no JSON: {error}") from None
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise ValueError("bytes that are no text") from None
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    raise ValueError(f"a {type(value).__name__}")


def _inside(value: Any) -> Any:
    """A nested value with what JSON has in place of other values, e.g. of dates."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        value = listed(value)
    if isinstance(value, Mapping):
        return {str(name): _inside(each) for name, each in value.items()}
    return [_inside(each) for each in value] if isinstance(value, list | tuple) else plain(value)
