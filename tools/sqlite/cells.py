"""Typed cells: the values in columns of a world's tables."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from worksmith.retrievers.strict_json import parse_json

BOOLEAN = "BOOLEAN"
"""The SQL type of booleans; SQLite knows it by name only."""

JSON = "JSON_TEXT"
"""The SQL type of JSON values. SQLite would make numbers of texts in a column called `JSON`."""

CellType = Literal["text", "integer", "real", "boolean", "json"]

CellValue = str | int | float | bool | list[Any] | dict[str, Any] | None
"""The value of a cell. SQLite holds a boolean as 0 or 1, and any value of a JSON column as a text."""


def typed_cell(value: CellValue, kind: CellType) -> CellValue:
    """`value` as SQLite holds it in such a column.

    Texts of such a value are converted: `7`, `-1.5e3`, `FALSE`.
    """
    found = None if value is None else _READ[kind](value)
    if found is None and value is not None:
        shown = value if isinstance(value, str) else cell_text(value)
        cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        raise ValueError(f"{_NEEDED[kind]} is needed, not {cut!r}")
    return found


def shown_cell(value: CellValue, kind: CellType) -> CellValue:
    """A cell as SQLite gives it, as a Python value of its type."""
    match kind, value:
        case "boolean", int():
            return bool(value)
        case "real", int():  # some ways to read a cell give 3 for 3.0
            return float(value)
        case "json", str():
            found: CellValue = json.loads(value)
            return found
    return value


def json_text(value: Any) -> str:
    """The text of a JSON value, which is the same for equal objects: their keys are sorted."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def cell_text(value: CellValue) -> str:
    """A cell as text: numbers as Python writes them, `true` and `false`, JSON, nothing for NULL."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


_SHOWN = 60
_LEAST, _LARGEST = -(2**63), 2**63 - 1
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}", re.ASCII)
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", re.ASCII)


def _as_text(value: CellValue) -> str | None:
    return value if isinstance(value, str) else None


def _as_integer(value: CellValue) -> int | None:
    if isinstance(value, str):
        found = int(value) if _INTEGER.fullmatch(value.strip()) else None
    elif isinstance(value, float):
        found = int(value) if value.is_integer() else None
    elif isinstance(value, bool | list | dict):
        found = None
    else:
        try:
            found = None if value is None else operator.index(value)  # NumPy's are none of Python's
        except TypeError:
            found = None
    return found if found is not None and _LEAST <= found <= _LARGEST else None


def _as_real(value: CellValue) -> float | None:
    if isinstance(value, bool | list | dict) or value is None:
        return None
    if isinstance(value, str) and not _REAL.fullmatch(value.strip()):
        return None
    try:
        found = float(value)
    except (OverflowError, TypeError, ValueError):  # a tool may give anything
        return None
    return found if math.isfinite(found) else None


def _as_boolean(value: CellValue) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False, "1": True, "0": False}.get(value.strip().lower())
    return bool(value) if value in (0, 1) else None


def _as_json(value: CellValue) -> str | None:
    try:
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            value = parse_json(value.encode())
    except ValueError:
        pass  # a text like any other
    try:
        return json_text(value)
    except ValueError:
        return None


_READ: Mapping[CellType, Callable[[CellValue], CellValue]] = {
    "text": _as_text,
    "integer": _as_integer,
    "real": _as_real,
    "boolean": _as_boolean,
    "json": _as_json,
}
_NEEDED: Mapping[CellType, str] = {
    "text": "a text",
    "integer": "an integer of at most 64 bits",
    "real": "a finite number",
    "boolean": "true or false",
    "json": "a JSON value",
}
