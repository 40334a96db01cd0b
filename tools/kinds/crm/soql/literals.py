"""Literals of conditions: periods such as LAST_MONTH, and values as cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from worksmith.tools.kinds.crm import ids
from worksmith.tools.kinds.crm.moments import LENGTHS
from worksmith.tools.kinds.crm.schema import IDS, NUMBERS
from worksmith.tools.kinds.crm.soql.errors import QueryError, malformed
from worksmith.tools.kinds.crm.soql.scope import TEXTS, Operand
from worksmith.tools.kinds.crm.soql.tree import Value

_FIXED = {"YESTERDAY": -1, "TODAY": 0, "TOMORROW": 1}
_NEAR = re.compile(r"(THIS|LAST|NEXT)_(?:FISCAL_)?(WEEK|MONTH|QUARTER|YEAR)")
_DAYS = re.compile(r"(LAST|NEXT)_90_DAYS")
_COUNTED = re.compile(r"(LAST|NEXT)_N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S")
_AGO = re.compile(r"N_(?:FISCAL_)?(DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO")

Range = tuple[date, date]
"""The first day, and the first day after."""


def is_period(name: str) -> bool:
    """Whether `name` (in capitals) is a date literal that needs no number."""
    return name in _FIXED or bool(_NEAR.fullmatch(name) or _DAYS.fullmatch(name))


def is_counted_period(name: str) -> bool:
    """Whether `name` (in capitals) is a date literal that ends in a number."""
    return bool(_COUNTED.fullmatch(name) or _AGO.fullmatch(name))


def period(name: str, count: int | None, today: date, offset: int) -> Range:
    """The days that a date literal names.

    Args:
        count: the number behind it, where it has one.
        offset: where it is written, for errors.
    """
    try:
        return _period(name, count or 0, today)
    except (OverflowError, ValueError):
        raise malformed(f"date literal {name}:{count} is out of range", offset) from None


def _period(name: str, count: int, today: date) -> Range:
    if name in _FIXED:
        return _units("DAY", today, _FIXED[name], 1)
    if found := _NEAR.fullmatch(name):
        return _units(found[2], today, {"LAST": -1, "THIS": 0, "NEXT": 1}[found[1]], 1)
    if found := _DAYS.fullmatch(name):
        return _counted(found[1], "DAY", 90, today)
    if found := _COUNTED.fullmatch(name):
        return _counted(found[1], found[2], count, today)
    found = _AGO.fullmatch(name)
    assert found is not None  # the parser asks is_period and is_counted_period first
    return _units(found[1], today, -count, 1)


def _counted(side: str, unit: str, count: int, today: date) -> Range:
    """The last or next `count` units. Days end with today; anything else leaves out the current one."""
    if side == "NEXT":
        return _units(unit, today, 1, count)
    if unit == "DAY":
        return _units(unit, today, -count, count + 1)
    return _units(unit, today, -count, count)


def _units(unit: str, today: date, first: int, length: int) -> Range:
    """`length` calendar units, beginning `first` units after the one of `today`."""
    begin, one = _STARTS[unit](today), LENGTHS[unit.lower()]
    return begin + one * first, begin + one * (first + length)


def _week(day: date) -> date:
    return day - timedelta(days=(day.weekday() + 1) % 7)


def _quarter(day: date) -> date:
    return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)


_STARTS: dict[str, Callable[[date], date]] = {
    "DAY": lambda day: day,
    "WEEK": _week,
    "MONTH": lambda day: day.replace(day=1),
    "QUARTER": _quarter,
    "YEAR": lambda day: day.replace(month=1, day=1),
}


Cell = str | float

_QUOTED = {"datetime": "dateTime", "currency": "double"}


def moment_cell(moment: datetime) -> str:
    """A point in time as it stands in cells: UTC, of one width, so that texts sort as times do."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}+0000".rjust(28, "0")


def day_cell(day: date) -> str:
    return day.isoformat()


def cell(operand: Operand, value: Value) -> Cell:
    """A literal, not null and not a period, as a cell of the operand's type."""
    kind = operand.type
    if kind in TEXTS or kind in IDS:
        _need(value.kind == "string", operand, value)
        return value.text if kind in TEXTS else _id(operand, value)
    if kind in NUMBERS:
        _need(value.kind == "number", operand, value)
        return _number(value)
    _need(value.kind == kind, operand, value)
    if kind == "boolean":
        return value.text.lower()
    return _day(value) if kind == "date" else _moment(value)


def bounds(operand: Operand, value: Value, today: date) -> tuple[str, str]:
    """The first cell of a period, and the first cell after it."""
    _need(operand.type in ("date", "datetime"), operand, value)
    first, after = period(value.text, value.count, today, value.offset)
    suffix = "" if operand.type == "date" else "T00:00:00.000+0000"
    return day_cell(first) + suffix, day_cell(after) + suffix


def _need(fits: bool, operand: Operand, value: Value) -> None:
    if fits:
        return
    quoted = operand.type in TEXTS or operand.type in IDS
    kind = "string" if quoted else _QUOTED.get(operand.type, operand.type)
    message = (
        f"value of filter criterion for field '{operand.name}' must be of type {kind} and should "
        f"{'' if quoted else 'not '}be enclosed in quotes"
    )
    raise QueryError("INVALID_FIELD", message, value.offset)


def _id(operand: Operand, value: Value) -> str:
    found = ids.canonical(value.text)
    if found is None:
        message = f"invalid ID field: {value.text[:40]}"
        raise QueryError("INVALID_QUERY_FILTER_OPERATOR", message, value.offset)
    return found


def _number(value: Value) -> float:
    number = float(value.text)
    if abs(number) > 1e18:
        raise QueryError("NUMBER_OUTSIDE_VALID_RANGE", "number is outside of the valid range", value.offset)
    return number


def _day(value: Value) -> str:
    try:
        return day_cell(date.fromisoformat(value.text))
    except ValueError:
        raise malformed(f"Invalid date: {value.text}", value.offset) from None


def _moment(value: Value) -> str:
    try:
        return moment_cell(datetime.fromisoformat(value.text.upper()))
    except (ValueError, OverflowError):
        raise malformed(f"Invalid dateTime: {value.text}", value.offset) from None
