"""Tables of objects: JSONL files, lists of dicts, pandas frames."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

from worksmith.retrievers.strict_json import parse_json
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import parsed
from worksmith.tools.kinds.own_data.sources.names import checked_columns
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, check_utf8, place, plain, read_bytes
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.sqlite.cells import CellValue


class JsonLines(Reading):
    """A file with one JSON object a line.

    The columns are the keys of all objects. A key that an object lacks is NULL in its row.

    Raises:
        InputError: the file cannot be read.
    """

    unit = "line"

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        self._data = read_bytes(path)
        self.digest = digest_bytes(self._data, 64)

    def names(self) -> Sequence[object]:
        check_utf8(self._data, self.where)
        names: dict[str, None] = {}
        for _, found in self._objects():
            if not found.keys() <= names.keys():
                names |= dict.fromkeys(found)
        if not names:
            raise InputError(
                "the file has no rows", where=self.where, hint="one JSON object a line is needed"
            )
        for name in names:
            if name != name.strip():
                message = f"the key {name!r} begins or ends with a space"
                raise InputError(message, where=self.where, hint="rename it")
        return tuple(names)

    def rows(self) -> Iterator[Row]:
        columns = self.columns
        for line, found in self._objects():
            yield line, cells_of(columns, map(found.get, columns), place(self, line))

    def _objects(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, line in enumerate(BytesIO(self._data), start=1):
            if line.strip():
                try:
                    found = parse_json(line)
                except ValueError:
                    found = None
                if not isinstance(found, dict):
                    self._refuse(line, number)
                yield number, found

    def _refuse(self, line: bytes, number: int) -> NoReturn:
        array = number == 1 and line.lstrip(b"\xef\xbb\xbf \t").startswith(b"[")
        hint = "one JSON object a line is needed" + (", and this is an array" if array else "")
        parsed(line, "a JSON object", where=place(self, number), hint=hint)
        raise InputError("not a JSON object", where=place(self, number), hint=hint)


class Rows(Reading):
    """Rows in memory, copied when they are read.

    Args:
        names: of the columns.
        rows: cells in the order of the columns.

    Raises:
        InputError: a cell holds what no table can.
    """

    def __init__(self, where: str, names: Sequence[object], rows: Iterable[Iterable[Any]]) -> None:
        self.where = where
        self._names = names
        self._rows: list[Sequence[CellValue]] = []
        content = hashlib.sha256(repr(self.columns).encode())
        for number, row in enumerate(rows, start=1):
            cells = cells_of(self.columns, row, place(self, number))
            content.update(repr(cells).encode())
            self._rows.append(cells)
        self.digest = content.hexdigest()

    def names(self) -> Sequence[object]:
        return self._names

    def rows(self) -> Iterator[Row]:
        yield from enumerate(self._rows, start=1)


def from_dicts(source: Sequence[Any], where: str, columns: Iterable[str] = ()) -> Rows:
    """A list of dicts; the columns are the keys of all of them.

    Args:
        columns: that come first, even without rows.
    """
    names: dict[Any, None] = dict.fromkeys(columns)
    for number, row in enumerate(source, start=1):
        if not isinstance(row, Mapping):
            message = f"a dict is needed, not {type(row).__name__}"
            raise InputError(message, where=f"{where}, row {number}")
        names.update(dict.fromkeys(row))
    return Rows(where, list(names), ([row.get(name) for name in names] for row in source))


def is_frame(source: object) -> bool:
    """Whether this is a frame of pandas, which need not be installed."""
    return all(hasattr(source, name) for name in ("columns", "index", "isna", "reset_index", "itertuples"))


def from_frame(source: Any, where: str) -> Rows:
    """A frame of pandas; an index with a name is a column, too.

    Raises:
        InputError: see `Rows`.
    """
    if any(name is not None for name in source.index.names):
        source = source.reset_index()
    names = list(source.columns)
    checked_columns(names, where)  # else a repeated name would give a frame below
    return Rows(where, names, zip(*(_frame_cells(source[name]) for name in names), strict=True))


def _frame_cells(column: Any) -> list[Any]:
    """The cells of a column.

    pandas makes floats of integers where a cell is missing; here they are integers again.
    """
    missing = column.isna().tolist()
    cells = [None if gone else cell for cell, gone in zip(column.tolist(), missing, strict=True)]
    if any(missing) and all(
        cell is None or (isinstance(cell, float) and cell.is_integer()) for cell in cells
    ):
        return [None if cell is None else int(cell) for cell in cells]
    return cells


def cells_of(columns: Sequence[str], values: Iterable[Any], where: str) -> list[CellValue]:
    cells: list[CellValue] = []
    for name, value in zip(columns, values, strict=True):
        if value is None or type(value) in (int, bool):
            cells.append(value)
            continue
        try:
            cell = plain(value)
            if isinstance(cell, str):
                cell.encode()
        except UnicodeEncodeError:
            raise InputError("the text is no valid Unicode", where=f"{where}, column {name}") from None
        except ValueError as error:
            hint = "a cell holds a text, a number, a boolean, a date or nothing; nested values are JSON"
            raise InputError(
                f"a cell cannot hold {error}", where=f"{where}, column {name}", hint=hint
            ) from None
        cells.append(cell)
    return cells
