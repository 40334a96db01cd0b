"""Dates and times: as tasks word them, and as tools write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import lru_cache

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "(?:" + "|".join(f"{m[:3]}(?:{m[3:]})?" if len(m) > 3 else m for m in _MONTHS) + r"|sept)\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
PATTERN = (
    r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?\b"
    rf"|\b{_MONTH}\s+{_DAY}\b(?:,?\s+\d{{4}}\b)?|\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:\s+\d{{4}})?(?![\w:])"
    r"|\btomorrow\b|\btoday\b|\byesterday\b|\btonight\b|\b(?:last|next|this)\s+week\b(?!\s+day)"
    rf"|\b(?:(?:next|last|this|previous)\s+)?(?:{'|'.join(_WEEKDAYS)})s?\b"
)
"""A date in a task; a regular expression, case ignored."""

_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:([ T])(\d\d:\d\d)(:\d\d)?(\.0+)?(Z|\+00:?00)?)?$")
_WORDS = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}


@lru_cache(maxsize=16384)
def parse(text: str) -> tuple[datetime, str] | None:
    """The moment a tool's text states, and its format; None when it is not a date."""
    found = _ISO.match(text) if 10 <= len(text) <= 29 else None
    if not found:
        return None
    form = "%Y-%m-%d"
    if found[3]:
        form += f"{found[2]}%H:%M{':%S' if found[4] else ''}{found[5] or ''}{found[6] or ''}"
    try:
        return datetime.strptime(text, form), form
    except ValueError:
        return None


def read(text: str, now: datetime | None) -> Mapping[str, datetime]:
    """The readings of a date as a task words it.

    `date` is the likeliest, `back` and `ahead` the nearest in the past and in the future; days that are
    named by their distance from today have only `relative`.
    """
    low = text.lower()
    exact = re.match(r"\d{4}-\d\d-\d\d", low)
    if exact:
        return {"date": moment} if (moment := _moment(low[:10])) else {}
    if now is None:
        return {}
    today = datetime.combine(now.date(), time())
    if low in _WORDS:
        return {"relative": today + timedelta(days=_WORDS[low])}
    words = low.replace(",", " ").replace(".", " ").split()
    if words[-1] == "week":
        return _week(words[0], today)
    weekday = next((n for n, name in enumerate(_WEEKDAYS) if words[-1].startswith(name)), None)
    if weekday is not None:
        return _weekday(words[0], weekday, today)
    return _month_day(words, today)


def _week(which: str, today: datetime) -> Mapping[str, datetime]:
    monday = today - timedelta(days=today.weekday())
    monday += timedelta(weeks={"last": -1, "next": 1}.get(which, 0))
    return {"date": monday}


def _weekday(which: str, weekday: int, today: datetime) -> Mapping[str, datetime]:
    ahead = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    back = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    following = today + timedelta(days=7 - today.weekday() + weekday)
    if which == "next":
        return {"date": following, "ahead": ahead}
    if which in ("last", "previous"):
        return {"date": back, "ahead": ahead}
    return {"date": ahead, "back": back}


def _month_day(words: list[str], today: datetime) -> Mapping[str, datetime]:
    starts = [name[:3] for name in _MONTHS]
    month = next(starts.index(word[:3]) + 1 for word in words if word[:3] in starts)
    numbers = [int(re.match(r"\d+", word)[0]) for word in words if word[0].isdigit()]  # type: ignore[index]
    day, year = numbers[0], numbers[1] if len(numbers) > 1 else None
    years = [year] if year else [today.year, today.year - 1, today.year + 1]
    options = [moment for moment in (_safe(y, month, day) for y in years) if moment]
    if not options:
        return {}
    readings = {"date": min(options, key=lambda moment: abs(moment - today))}
    back = [moment for moment in options if moment <= today]
    ahead = [moment for moment in options if moment >= today]
    if back:
        readings["back"] = max(back)
    if ahead:
        readings["ahead"] = min(ahead)
    return readings


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _safe(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime.combine(date(year, month, day), time())
    except ValueError:
        return None


def minutes_of_day(text: str) -> int:
    """Minutes after midnight of a time as people say it; hours below 8 without am or pm are afternoon."""
    low = text.lower().replace(" ", "").replace(".", "")
    if low in ("noon", "midday"):
        return 720
    if low == "midnight":
        return 0
    hour, _, rest = low.rstrip("apm").partition(":")
    hours, minutes = int(hour), int(rest or 0)
    if low.endswith("m"):
        hours = hours % 12 + (12 if low.endswith("pm") else 0)
    elif hours < 8 and len(hour) < 2:
        hours += 12
    return (hours * 60 + minutes) % 1440
