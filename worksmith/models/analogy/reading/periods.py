"""Periods of time in a task: months, quarters and seasons of a year, and times reckoned back from now."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from worksmith.models.analogy.reading.numbers import plain

_MONTHS = tuple(calendar.month_name)[1:]
_QUARTERS = ("Q1", "Q2", "Q3", "Q4")
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_ORDINALS = (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th", "last", "final"))
_ORDINAL = "|".join(word for words in _ORDINALS for word in words)

NAMED = (
    rf"\b(?:{'|'.join(_MONTHS)}|q[1-4]|{'|'.join(_SEASONS)}|(?:{_ORDINAL})\s+quarter|quarter\s+[1-4])"
    r"(?:\s*,)?\s+(?:(?:of|in)\s+)?(?:the\s+year\s+)?(?:19|20)\d\d\b(?![-/:])"
)
"""A named period; a regular expression, case ignored."""

UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365}
"""Units of time with their days, estimated."""

_STEPS = {"day": ("day", 1), "week": ("week", 1), "fortnight": ("week", 2)}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


def read_named(text: str) -> Mapping[str, Any]:
    """Readings of a named period: its usual name, its year, its first moment and the first one after it.

    A winter begins in the December of its year.
    """
    year = int(text[-4:])
    low = text[:-4].lower()
    name, first, months = _named(low)
    start = datetime(year, first, 1)
    return {"period": name, "year": year, "opens": start, "closes": months_later(start, months)}


def _named(low: str) -> tuple[str, int, int]:
    """Name, first month and number of months."""
    word = re.findall(r"[a-z0-9]+", low)
    if word[0] in _SEASONS:
        name = "Fall" if word[0] == "autumn" else word[0].capitalize()
        return name, _SEASONS[word[0]], 3
    month = next((n for n, name in enumerate(_MONTHS, 1) if name.lower() == word[0]), None)
    if month:
        return _MONTHS[month - 1], month, 1
    number = word[1] if word[0] == "quarter" else word[0]
    if number in _QUARTERS or number.upper() in _QUARTERS:
        quarter = int(number[1])
    else:
        quarter = next((n for n, words in enumerate(_ORDINALS, 1) if number in words), None) or int(number)
    return _QUARTERS[quarter - 1], 3 * quarter - 2, 3


def read_span(count: float, unit: str, now: datetime | None) -> Mapping[str, Any]:
    """Readings of a time of so many units, and of the period of that length that ends today.

    `unit` and `amount` are as the task says; `step` and `steps` are the same in units that any calendar
    has: years as months, fortnights as weeks.
    """
    readings: dict[str, Any] = {"days": plain(count * UNITS[unit])}
    if count != int(count):
        return readings
    step, size = _STEPS.get(unit, (unit, 1)) if unit != "year" else ("month", 12)
    readings |= {"amount": int(count), "unit": unit, "steps": int(count) * size, "step": step}
    if now is not None:
        today = now.replace(hour=0, minute=0, second=0)
        readings |= {"opens": _back(today, int(count), unit), "closes": today}
    return readings


def _back(day: datetime, count: int, unit: str) -> datetime:
    if unit in _MONTHS_OF:
        return months_later(day, -count * _MONTHS_OF[unit])
    return day - timedelta(days=count * UNITS[unit])


def months_later(day: datetime, months: int) -> datetime:
    """The same day of another month, or that month's last; within the years that there are."""
    years, month = divmod(day.month - 1 + months, 12)
    year = min(max(day.year + years, 1), 9999)
    return day.replace(year=year, month=month + 1, day=min(day.day, calendar.monthrange(year, month + 1)[1]))
