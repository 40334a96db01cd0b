"""Stretches of time as wordings name them, and what they mean on a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from dateutil.relativedelta import relativedelta

Unit = Literal["day", "week", "month", "quarter", "season", "half", "year", "range"]

SEASONS = {"Spring": 3, "Summer": 6, "Fall": 9, "Winter": 12}
"""The month in which each begins; winter ends in the year after the one it is called by."""

_LENGTHS = {"month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12}
"""In months."""

_MOST = 1000
"""Units that a wording may count back."""


@dataclass(frozen=True)
class Period:
    """A stretch of time, or a point that many units ago.

    Attributes:
        text: the period in one form for all ways to say it, that of generated tasks: `3 months`, `1 weeks`,
            `Q3 2021`, `Winter 2020`.
        unit: what is counted or named.
        count: how many units back; None where the calendar names the period.
        start: its first day; for a point, that day.
        end: the first day after it; where it is counted back, the day that it is counted from.
        point: the wording names a day that lies so far back (`two weeks ago`).
    """

    text: str
    unit: Unit
    count: int | None
    start: date | None
    end: date | None
    point: bool = False

    @property
    def relative(self) -> bool:
        return self.count is not None


def back(count: int, unit: Unit, today: date | None, *, point: bool = False) -> Period | None:
    """So many units before today; None if that leaves the calendar."""
    if not 0 < count <= _MOST:
        return None
    start = earlier(today, count, unit) if today else None
    if today and start is None:
        return None
    return Period(f"{count} {unit}s", unit, count, start, today, point)


def earlier(day: date, count: int, unit: Unit) -> date | None:
    """The day so many units before; at the end of a shorter month, its last day."""
    try:
        if unit in _LENGTHS:
            return day - relativedelta(months=count * _LENGTHS[unit])
        return day - timedelta(days=count * (7 if unit == "week" else 1))
    except (ValueError, OverflowError):
        return None


def named(unit: Unit, first_month: int, year: int, text: str) -> Period | None:
    """A period of the calendar that begins with a month; None if there is no such year."""
    if not 1900 <= year < 2200:
        return None
    start = date(year, first_month, 1)
    return Period(text, unit, None, start, start + relativedelta(months=_LENGTHS[unit]))


def between(start: date, end: date) -> Period | None:
    """From a day to the one before `end`; None if there is nothing between them."""
    return Period(f"{start} to {end}", "range", None, start, end) if start < end else None
