"""What came back from a call, in the shape that expressions need."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any


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
        """What situations are told apart by: the family, the number of things, or the masked text."""
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
    """Parse the text of a reply."""
    if text is None:
        return Observation("none", (), (), (), "")
    try:
        value = json.loads(text)
    except ValueError:
        return Observation("text", (), (), (), text)
    if isinstance(value, list):
        if value and all(isinstance(row, dict) for row in value):
            return Observation("rows", tuple(map(_row, value)), (), (), text)
        return Observation("items" if value else "rows", (), tuple(map(as_text, value)), (), text)
    if isinstance(value, dict):
        wrapped = _wrapped(value)
        if wrapped is not None:
            facts = {name: as_text(fact) for name, fact in value.items() if not isinstance(fact, list)}
            return Observation("rows", tuple(map(_row, wrapped)), (), (), text, facts)
        if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in value.values()):
            return Observation("series", (), (), tuple((k, float(v)) for k, v in value.items()), text)
        return Observation("record", (_row(value),), (), (), text)
    if isinstance(value, int | float) and not isinstance(value, bool) and not text.startswith("0"):
        return Observation("number", (), (text,), (("", float(value)),), text)
    return Observation("text", (), (), (), text if not isinstance(value, str) else value)


def _wrapped(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The records of an object that holds one list of them and, beside it, only numbers."""
    lists = [cell for cell in value.values() if isinstance(cell, list)]
    others = [cell for cell in value.values() if not isinstance(cell, list)]
    if len(lists) != 1 or not all(isinstance(cell, int | float) for cell in others):
        return None
    return lists[0] if all(isinstance(row, dict) for row in lists[0]) else None


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
