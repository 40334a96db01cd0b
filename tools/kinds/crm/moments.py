"""Points in time and periods, as the functions take and give them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TypeVar

from dateutil.relativedelta import relativedelta

D = TypeVar("D", bound=date)

SHAPE = "YYYY-MM-DDTHH:MM:SSZ"
"""The form of a point in time for functions."""

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""Not from the calendar module: its names follow the machine's locale."""

SEASONS = {"Spring": 3, "Summer": 6, "Fall": 9, "Winter": 12}
"""The month in which each begins; winter ends in the year after the one it is called by."""

_STARTS = {
    **{name: (number, "month") for number, name in enumerate(MONTHS, start=1)},
    **{f"Q{quarter}": (3 * quarter - 2, "quarter") for quarter in range(1, 5)},
    **{name: (month, "quarter") for name, month in SEASONS.items()},
}
"""By name of a period its first month and its length."""

_ALSO = {"autumn": "Fall"}
LENGTHS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}

_GIVEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_RECORDED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", re.ASCII)


def read_moment(text: str, *, lenient: bool) -> datetime | None:
    """The point in time of a function's argument; None if it is not one.

    Args:
        lenient: whether a date alone is its first instant, and offsets and fractions are understood.
    """
    if not lenient and not _GIVEN.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.strip() if lenient else text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        return None


def read_recorded(value: object) -> datetime | None:
    """A point in time out of a record; None if it is not in the form in which records have it."""
    if not isinstance(value, str) or not _RECORDED.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def text_of(moment: datetime) -> str:
    """A point in time as functions take and give it, and as SOQL has it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(len(SHAPE), "0")


def earlier(moment: D, period: str, count: int) -> D | None:
    """`count` periods before a day or point in time, on the last day of the month where a month is too short.

    Returns:
        None if that is before the year 1.
    """
    try:
        return moment - LENGTHS[period] * count
    except (ValueError, OverflowError):
        return None


def span(name: str, year: int, *, lenient: bool) -> tuple[datetime, datetime] | None:
    """The first instant of a month, quarter or season, and the first after it; None if it is unknown.

    Args:
        lenient: whether letter case does not matter, and Autumn is a name.
    """
    if lenient:
        key = name.strip().capitalize()
        name = _ALSO.get(key.lower(), key)
    if name not in _STARTS:
        return None
    month, length = _STARTS[name]
    try:
        first = datetime(year, month, 1, tzinfo=UTC)
        return first, first + LENGTHS[length]
    except (ValueError, OverflowError):
        return None
