"""Observations for prompts of a bounded length: records as tables, whose long texts give way to their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_DATE = re.compile(r"(?P<year>\d{4}-)(?P<month>\d\d-)\d\d")

_SHORTEST = 24
"""Characters of a text in a table, however many rows there are."""

_DIGITS = 3
"""Digits after the point of a number."""


def shortened(observation: str, length: int) -> str:
    """An observation in at most about `length` characters.

    Records, a JSON list of objects, are a table. A column that is the same in all rows has its value in the
    heading. Texts of several words are cut first, then rows are left out and counted; ids, addresses and
    numbers are whole. Values by name are one line, in which a date shows only what differs from the date
    before it. Any other observation is its beginning with its number of characters.
    """
    value = _read(observation)
    if isinstance(value, list) and value and all(isinstance(row, dict) and row for row in value):
        return _table(value, length)
    if (
        isinstance(value, dict)
        and value
        and not any(isinstance(each, dict | list) for each in value.values())
    ):
        return _line(value, length)
    return beginning(observation, length)


def beginning(text: str, length: int) -> str:
    """A text, or its beginning with the number of its characters."""
    return text if len(text) <= length else f"{text[:length]}... [{len(text):,} characters]"


def _read(text: str) -> Any:
    try:
        return json.loads(text) if text[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        return None


def _table(rows: Sequence[Mapping[str, Any]], length: int) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_text(row.get(name)) for name in names] for row in rows]
    same = [len(rows) > 1 and len(set(column)) == 1 for column in zip(*cells, strict=True)]

    def lines(width: int) -> list[str]:
        heading = [
            f"{_text(name)}={_cut(cell, width)}" if alike else _text(name)
            for name, cell, alike in zip(names, cells[0], same, strict=True)
        ]
        table = [
            [_cut(cell, width) for cell, alike in zip(row, same, strict=True) if not alike] for row in cells
        ]
        return [" | ".join(line) for line in (heading, *table)]

    width = _widest(length, lambda width: _length(lines(width)) <= length)
    return _first(lines(width), length)


def _line(values: Mapping[str, Any], length: int) -> str:
    names = [*values]
    shown = [_after(before, name) for before, name in zip(["", *names], names, strict=False)]
    texts = [_text(value) for value in values.values()]

    def lines(width: int) -> list[str]:
        return [f"{_text(name)}: {_cut(text, width)}" for name, text in zip(shown, texts, strict=True)]

    width = _widest(length, lambda width: _length(lines(width)) + len(names) <= length)
    return beginning(", ".join(lines(width)), length)


def _widest(length: int, fits: Callable[[int], bool]) -> int:
    """The greatest width of texts that fits, or the smallest one."""
    low, high = _SHORTEST, max(length, _SHORTEST)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _first(lines: Sequence[str], length: int) -> str:
    """The heading and as many rows as fit, at least one."""
    kept = 2
    while kept < len(lines) and _length(lines[: kept + 1]) <= length:
        kept += 1
    more = len(lines) - kept
    return "\n".join([*lines[:kept], *([f"... {more:,} more rows"] if more else [])])


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines) - 1


def _after(before: str, name: str) -> str:
    first, second = _DATE.fullmatch(before), _DATE.fullmatch(name)
    if not first or not second or first["year"] != second["year"]:
        return name
    return name[8:] if first["month"] == second["month"] else name[5:]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        value = round(value, _DIGITS)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width or " " not in text else f"{text[:width].rstrip()}…"
