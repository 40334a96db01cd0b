"""Dates, times and lengths as tasks word them, and back."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DURATIONS = (30, 60, 90, 120)

_DAY = re.compile(r"([A-Za-z]+) (\d{1,2})")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?:\s*([ap])\.?m\.?)?", re.IGNORECASE)
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)[ -](minute|hour)s?")
_EARLIEST_HOUR = 9


def day_words(day: date) -> str:
    """E.g. "December 4"."""
    return f"{MONTHS[day.month - 1]} {day.day}"


def day_of(words: str, today: date) -> date:
    """The day that "December 4" or "2023-12-04" names; without a year it is the one nearest to today.

    Raises:
        ValueError: if it is neither.
    """
    found = _DAY.fullmatch(words.strip())
    if found is None:
        return date.fromisoformat(words.strip())
    month = [name.lower() for name in MONTHS].index(found[1].lower()) + 1
    days = [
        date(year, month, int(found[2]))
        for year in (today.year - 1, today.year, today.year + 1)
        if int(found[2]) < 29 or month != 2 or _leap(year)
    ]
    return min(days, key=lambda day: abs(day - today))


def past_day(words: str, today: date) -> date | None:
    """The latest day not after today that "December 4" names, or the one that "2023-12-04" does, if any."""
    try:
        if words[:1].isdigit():
            return date.fromisoformat(words)
        day = datetime.strptime(f"{words} {today.year}", "%B %d %Y").date()
        return day if day <= today else day.replace(year=today.year - 1)
    except ValueError:
        return None


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def time_words(clock: time) -> str:
    """E.g. "3:30 pm" or "11 am"."""
    minutes = f":{clock.minute:02}" if clock.minute else ""
    return f"{(clock.hour - 1) % 12 + 1}{minutes} {'am' if clock.hour < 12 else 'pm'}"


def time_of(words: str) -> time:
    """The time that "3:30 pm", "15:30" or, between 9:00 and 20:59, "3:30" names.

    Raises:
        ValueError: if it is none of these.
    """
    found = _CLOCK.fullmatch(words.strip())
    if found is None:
        raise ValueError(f"not a time: {words!r}")
    hour, half = int(found[1]), (found[3] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif hour < _EARLIEST_HOUR:
        hour += 12
    return time(hour, int(found[2] or 0))


def length_words(minutes: int) -> str:
    """A length as a noun: "30 minutes", "1 hour", "1.5 hours"."""
    if minutes < 60:
        return f"{minutes} minutes"
    hours = f"{minutes / 60:g}"
    return f"{hours} hour" if hours == "1" else f"{hours} hours"


def length_adjective(minutes: int) -> str:
    """A length in front of a noun: "30-minute", "1.5-hour"."""
    return f"{minutes}-minute" if minutes < 60 else f"{minutes / 60:g}-hour"


def minutes_of(words: str) -> int:
    """The minutes of a length in either form.

    Raises:
        ValueError: if it is not one.
    """
    found = _LENGTH.fullmatch(words.strip())
    if found is None:
        raise ValueError(f"not a length: {words!r}")
    return round(float(found[1]) * (60 if found[2] == "hour" else 1))


def weekday_words(day: date) -> str:
    """E.g. "Friday"."""
    return WEEKDAYS[day.weekday()]


def weekday_ahead(words: str, today: date) -> date:
    """The day called so that lies one to seven days ahead."""
    return today + timedelta(days=(_weekday(words) - today.weekday() - 1) % 7 + 1)


def weekday_back(words: str, today: date) -> date:
    """The day called so that lies one to seven days back."""
    return today - timedelta(days=(today.weekday() - _weekday(words) - 1) % 7 + 1)


def weekday_of_next_week(words: str, today: date) -> date:
    """The day called so in the week, Monday to Sunday, after the one of today."""
    return today - timedelta(days=today.weekday()) + timedelta(days=7 + _weekday(words))


def _weekday(words: str) -> int:
    return [name.lower() for name in WEEKDAYS].index(words.strip().lower())


def moment_cell(moment: datetime) -> str:
    """A point in time as tools take it."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")
