"""The reply to a call, in the shape that expressions need."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from worksmith.models.analogy.reading import dates


@dataclass(frozen=True)
class Observation:
    """A reply, parsed.

    Attributes:
        family: `rows` (list of records), `items` (list of scalars), `series` (day to number), `record`,
            `number`, `text` or `none` (no reply yet).
        rows: the records, cells as text.
        items: the scalars as text.
        series: names and numbers in order.
        text: the reply itself.
        facts: the numbers that stand beside the records, as text.
    """

    family: str
    rows: tuple[Mapping[str, str], ...]
    items: tuple[str, ...]
    series: tuple[tuple[str, float], ...]
    text: str
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The key of situations: the family, the number of things, or the masked text."""
        if self.family in ("rows", "items"):
            return f"{self.family}:{min(len(self.rows) + len(self.items), 2)}"
        if self.family == "series":
            return f"series:{min(len(self.series), 1)}"
        return f"text:{_masked(self.text)}" if self.family == "text" else self.family

    @property
    def filled(self) -> bool:
        """Whether there is data in it (a message alone is none)."""
        return bool(self.rows or self.items or self.series or self.family == "number")


@lru_cache(maxsize=4096)
def read_observation(text: str | None) -> Observation:
    if text is None:
        return Observation("none", (), (), (), "")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Observation("text", (), (), (), text)
    if isinstance(value, list):
        if value and all(isinstance(row, dict) for row in value):
            return Observation("rows", tuple(map(_row, value)), (), (), text)
        return Observation("items" if value else "rows", (), tuple(map(as_text, value)), (), text)
    if isinstance(value, dict):
        data = _enclosed(value)
        if data is not None:
            facts = {name: as_text(fact) for name, fact in value.items() if fact is not data}
            return _listed(data, text, facts)
        if all(map(_is_number, value.values())):
            return Observation("series", (), (), tuple((k, float(v)) for k, v in value.items()), text)
        return Observation("record", (_row(value),), (), (), text)
    if isinstance(value, int | float) and not isinstance(value, bool) and not text.startswith("0"):
        return Observation("number", (), (text,), (("", float(value)),), text)
    return Observation("text", (), (), (), text if not isinstance(value, str) else value)


def _enclosed(value: Mapping[str, Any]) -> list[Any] | dict[str, Any] | None:
    """The data of an object that holds one list of it, or numbers by name, and beside it only scalars.

    If not all of these are numbers, one of them must say how many entries there are.
    """
    data = [cell for cell in value.values() if isinstance(cell, list | dict)]
    if len(data) != 1:
        return None
    found, others = data[0], [cell for cell in value.values() if not isinstance(cell, list | dict)]
    numbers = [cell for cell in others if _is_number(cell)]
    counted = any(isinstance(cell, int) and cell >= len(found) for cell in numbers)
    if isinstance(found, dict):
        return found if counted and found and all(map(_is_number, found.values())) else None
    records = all(isinstance(row, dict) for row in found)
    if len(numbers) == len(others):
        return found if records or counted else None
    return found if counted and (records or not any(isinstance(e, list | dict) for e in found)) else None


def _listed(data: list[Any] | dict[str, Any], text: str, facts: Mapping[str, str]) -> Observation:
    if isinstance(data, dict):
        rows = tuple({"name": name, "number": as_text(number)} for name, number in data.items())
        return Observation("rows", rows, (), (), text, facts)
    if all(isinstance(row, dict) for row in data):
        return Observation("rows", tuple(map(_row, data)), (), (), text, facts)
    return Observation("items", (), tuple(map(as_text, data)), (), text, facts)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def with_duration(row: Mapping[str, str]) -> Mapping[str, str]:
    """The record, with the minutes between its two points in time if it has just two."""
    moments = {name: found for name, cell in row.items() if "T" in cell and (found := dates.parse(cell))}
    if len(moments) != 2:
        return row
    (one, (first, _)), (other, (second, _)) = moments.items()
    minutes = (second - first).total_seconds() / 60
    return {**row, f"from {one} to {other}": str(minutes)}


def as_text(value: Any) -> str:
    """A JSON value as the text that an argument would have."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def number(text: str) -> float | None:
    """The number a cell states, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def _row(value: Mapping[str, Any]) -> Mapping[str, str]:
    """The cells of a record as text; those of a record inside it under both names."""
    cells: dict[str, str] = {}
    for key, cell in value.items():
        if isinstance(cell, dict):
            cells |= {f"{key}.{name}": inner for name, inner in _row(cell).items()}
        elif cell is not None:
            cells[key] = as_text(cell)
    return cells


def _masked(text: str) -> str:
    return re.sub(r"\S*\d\S*", "#", text)[:120]
