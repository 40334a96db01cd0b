"""Date literals: what `LAST_MONTH` or `NEXT_N_DAYS:7` means on a given day.

Weeks start on Sunday; fiscal years are calendar years. All days are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from tools.kinds.crm.soql.errors import malformed

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

    Raises:
        QueryError: it lies outside the calendar.
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
    start, move = _CALENDAR[unit]
    begin = start(today)
    return move(begin, first), move(begin, first + length)


def _week(day: date) -> date:
    return day - timedelta(days=(day.weekday() + 1) % 7)


def _quarter(day: date) -> date:
    return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)


def _by_days(days: int) -> Callable[[date, int], date]:
    return lambda start, count: start + timedelta(days=days * count)


def _by_months(months: int) -> Callable[[date, int], date]:
    def move(start: date, count: int) -> date:
        years, month = divmod(start.month - 1 + months * count, 12)
        return start.replace(year=start.year + years, month=month + 1)

    return move


_CALENDAR: dict[str, tuple[Callable[[date], date], Callable[[date, int], date]]] = {
    "DAY": (lambda day: day, _by_days(1)),
    "WEEK": (_week, _by_days(7)),
    "MONTH": (lambda day: day.replace(day=1), _by_months(1)),
    "QUARTER": (_quarter, _by_months(3)),
    "YEAR": (lambda day: day.replace(month=1, day=1), _by_months(12)),
}
