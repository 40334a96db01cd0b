"""Types and keys of tables, inferred over all rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from worksmith.retrievers.strict_json import parse_json
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.made_keys import ROW_NUMBER
from worksmith.tools.kinds.own_data.sources.nouns import singular
from worksmith.tools.kinds.own_data.sources.reading import JsonText, Portion, Reading, place, portions
from worksmith.tools.sqlite.cells import CellType, CellValue, cell_text, typed_cell

CELL_TYPES: tuple[CellType, ...] = get_args(CellType)

_INTEGER = re.compile(r"\s*(?:0|-?[1-9][0-9]{0,17})\s*", re.ASCII)
"""Of 64 bits, without leading zeros, which numbers lack."""

_REAL = re.compile(
    r"\s*-?(?:(?:0|[1-9][0-9]{0,17})?\.[0-9]+|(?:0|[1-9][0-9]{0,17})\.?)(?:[eE][+-]?[0-9]{1,2})?\s*", re.ASCII
)
_EXACT = 2**53
"""Integers past it do not all have a float."""

_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Profile:
    """The facts of all rows of a table.

    Attributes:
        types: of all columns, in order.
        key: the column that identifies a row.
        rows: their number.
    """

    types: Mapping[str, CellType]
    key: str
    rows: int


def profile(reading: Reading, name: str, key: str | None, types: Mapping[str, CellType]) -> Profile:
    """The types and the key of a table.

    Args:
        name: of the table.
        key: the user's choice; None leaves it to the source, the names of columns, and their values.
        types: the user's choices by column.
    """
    wanted = key or _declared_key(reading, name)
    columns = [
        _Column(column, types.get(column), reading, wanted in (None, column)) for column in reading.columns
    ]
    rows = 0
    for portion in portions(reading):
        rows += len(portion.places)
        for column, cells in zip(columns, portion.columns, strict=True):
            column.add(cells, portion)
    found = {column.name: column.kind for column in columns}
    if wanted is None:
        wanted = next((column.name for column in columns if column.can_be_key), None)
        if wanted is None:
            hint = (
                f'name columns that do so together, keys={{"{name}": ("A", "B")}} or `--key {name}=A,B`, or '
                f'have the rows numbered: keys={{"{name}": "{ROW_NUMBER}"}} or `--key {name}={ROW_NUMBER}`'
            )
            raise InputError("no column has another value in every row", where=reading.where, hint=hint)
    else:
        next(column for column in columns if column.name == wanted).check_key(name)
    return Profile(found, wanted, rows)


def _declared_key(reading: Reading, name: str) -> str | None:
    """The key that the source declares; else the column `id`, or `ticket_id` of tickets."""
    if reading.key is not None:
        return reading.key
    folded = {re.sub(r"[\W_]", "", column).lower(): column for column in reversed(reading.columns)}
    tables = (re.sub(r"[\W_]", "", each).lower() for each in (name, singular(name)))
    return next((folded[word] for word in ("id", *(f"{each}id" for each in tables)) if word in folded), None)


class _Column:
    """The facts of a column by the rows so far."""

    def __init__(self, name: str, chosen: CellType | None, reading: Reading, maybe_key: bool) -> None:
        self.name = name
        self._chosen = chosen
        self._reading = reading
        self._found: CellType | None = None
        self._inexact = False
        self._values: set[CellValue] | None = set() if maybe_key else None
        self._fault: InputError | None = None

    @property
    def kind(self) -> CellType:
        if self._chosen is not None:
            return self._chosen
        return "text" if self._found is None or (self._found == "real" and self._inexact) else self._found

    @property
    def can_be_key(self) -> bool:
        return self._values is not None and self.kind in ("text", "integer")

    def check_key(self, table: str) -> None:
        """Check that the column can be the key."""
        if self._fault is not None:
            self._fault.hint = f'mend the rows, or choose another column with keys={{"{table}": "COLUMN"}}'
            raise self._fault
        if self.kind not in ("text", "integer"):
            hint = f'choose another column with keys={{"{table}": "COLUMN"}}'
            message = f"the key is a column of the type {self.kind}, and has to be text or integer"
            raise InputError(message, where=f"{self._reading.where}, column {self.name}", hint=hint)

    def add(self, cells: Sequence[CellValue], portion: Portion) -> None:
        if self._values is not None:
            self._note_values(cells, portion)
        if self._chosen is not None:
            self._check_type(cells, portion)
        elif self._found != ("text" if self._reading.lexical else "json"):
            kinds = _lexical_kinds(set(cells)) if self._reading.lexical else _kinds(cells)
            for kind, exact in kinds:
                self._inexact |= not exact
                self._found = kind if self._found is None else _joined(self._found, kind)

    def _note_values(self, cells: Sequence[CellValue], portion: Portion) -> None:
        assert self._values is not None
        before = len(self._values)
        self._values.update(cells)
        if len(self._values) == before + len(cells) and None not in self._values and "" not in self._values:
            return
        self._values = None
        if self._fault is None:
            self._fault = self._first_fault(portion)

    def _first_fault(self, portion: Portion) -> InputError:
        """What keeps the column from being a key, in the first row in which it does."""
        seen: dict[CellValue, int] = {}
        number = self._reading.columns.index(self.name)
        for each in portions(self._reading):
            for row, cell in zip(each.places, each.columns[number], strict=True):
                where = place(self._reading, row, self.name)
                if cell is None or cell == "":
                    return InputError("the key of this row is empty", where=where)
                if cell in seen:
                    unit = self._reading.unit
                    return InputError(f"{_shown(cell)} is the key of {unit} {seen[cell]}, too", where=where)
                seen[cell] = row
        raise AssertionError("the rows of a source changed while they were read")

    def _check_type(self, cells: Sequence[CellValue], portion: Portion) -> None:
        assert self._chosen is not None
        convert = converter(self._chosen, lexical=self._reading.lexical)
        try:
            for cell in cells:
                convert(cell)
        except ValueError:
            for row, cell in zip(portion.places, cells, strict=True):
                try:
                    convert(cell)
                except ValueError as error:
                    hint = (
                        f"mend the cell, leave it empty, or choose another type for {self.name} with types="
                    )
                    if isinstance(cell, str) and re.fullmatch(r"\s*-?[0-9.]*,[0-9]+\s*", cell):
                        hint = "write numbers with a decimal point and without separators"
                    raise InputError(
                        str(error), where=place(self._reading, row, self.name), hint=hint
                    ) from None


def converter(kind: CellType, *, lexical: bool) -> Callable[[CellValue], CellValue]:
    """Makes cells of a type from those of a source; raises `ValueError` for others."""
    if kind == "text":
        return (
            (lambda cell: cell or None)
            if lexical
            else (lambda cell: None if cell is None else cell_text(cell))
        )

    def convert(cell: CellValue) -> CellValue:
        if isinstance(cell, str) and not cell.strip() and (lexical or kind != "json"):
            return None
        return typed_cell(parse_json(str(cell).encode()) if lexical and kind == "json" else cell, kind)

    return convert


def _joined(one: CellType, other: CellType) -> CellType:
    if one == other or "json" in (one, other):
        return one if one == "json" else other
    return "real" if {one, other} == {"integer", "real"} else "text"


def _lexical_kinds(cells: Iterable[CellValue]) -> Iterable[tuple[CellType, bool]]:
    """The types of texts, and whether a float holds each of them exactly."""
    texts = [cell for cell in cells if isinstance(cell, str) and cell and not cell.isspace()]
    if not texts:
        return
    if all(map(_INTEGER.fullmatch, texts)):
        # Of more than 15 digits there may be one past 2^53.
        exact = max(map(len, texts)) < 16 or max(abs(int(text)) for text in texts) <= _EXACT
        yield "integer", exact
    elif all(text.strip().lower() in ("true", "false") for text in texts):
        yield "boolean", True
    elif all(map(_REAL.fullmatch, texts)):
        integers = [int(text) for text in texts if _INTEGER.fullmatch(text)]
        yield "real", all(abs(number) <= _EXACT for number in integers)
    else:
        yield "text", True


def _kinds(cells: Sequence[CellValue]) -> Iterable[tuple[CellType, bool]]:
    """The types of cells that have one."""
    found = set(map(type, cells))
    if bool in found:
        yield "boolean", True
    if int in found:
        largest = max(abs(cell) for cell in cells if type(cell) is int)
        yield ("integer" if largest <= _LARGEST else "text"), largest <= _EXACT
    if float in found:
        yield "real", True
    if str in found:
        yield "text", True
    if JsonText in found:
        yield "json", True


def _shown(cell: CellValue) -> str:
    text = cell_text(cell)
    return text if len(text) <= 60 else f"{text[:60]}…"
