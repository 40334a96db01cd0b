"""Stretches of time, and those that the calendar names: quarters, halves, seasons, months, years, ranges."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from worksmith.evals.kinds.crm.reading.numbers import number
from worksmith.evals.kinds.crm.reading.patterns import PATTERNS
from worksmith.tools.kinds.crm.moments import LENGTHS, MONTHS, SEASONS, earlier

Unit = Literal["day", "week", "month", "quarter", "season", "half", "year", "range"]

_LENGTHS = LENGTHS | {"season": LENGTHS["quarter"], "half": LENGTHS["quarter"] * 2}

_MOST = 1000
"""Units that a wording may count back."""


@dataclass(frozen=True)
class Period:
    """A stretch of time, or a point that many units ago.

    Attributes:
        text: the period in one form for all ways to say it, that of generated tasks: `3 months`, `1 weeks`,
            `Q3 2021`, `Winter 2020`.
        unit: what is counted or named.
        count: how many units back; None if the calendar names the period.
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
    start = earlier(today, unit, count) if today else None
    if today and start is None:
        return None
    return Period(f"{count} {unit}s", unit, count, start, today, point)


def named(unit: Unit, first_month: int, year: int, text: str) -> Period | None:
    """A period of the calendar that begins with a month; None if the year is unknown."""
    if not 1900 <= year < 2200:
        return None
    start = date(year, first_month, 1)
    return Period(text, unit, None, start, start + _LENGTHS[unit])


def between(start: date, end: date) -> Period | None:
    """From a day to the one before `end`; None if there is nothing between them."""
    return Period(f"{start} to {end}", "range", None, start, end) if start < end else None


_P = PATTERNS["calendar_periods"]

Build = Callable[[re.Match[str], date | None], Period | None]


def _whole_year(found: re.Match[str], today: date | None) -> int | None:
    groups = found.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    if groups.get("short"):
        return 2000 + int(groups["short"])
    if today is None or not groups.get("which"):
        return None
    return today.year if groups["which"] in ("this", "current") else today.year - 1


def _ordinal(text: str, last: int) -> int:
    places = {"first": 1, "opening": 1, "second": 2, "third": 3, "fourth": 4, "latter": 2}
    places |= {"last": last, "final": last, "closing": last}
    return places[text] if text in places else int(text[0])


def _part(found: re.Match[str], year: int) -> Period | None:
    """The quarter, half, season or month that a match names, in `year`."""
    groups = {name: text for name, text in found.groupdict().items() if text}
    if text := groups.get("month"):
        month = _month(text)
        return named("month", month, year, f"{MONTHS[month - 1]} {year}")
    if text := groups.get("season"):
        season = "Fall" if text == "autumn" else text.capitalize()
        return named("season", SEASONS[season], year, f"{season} {year}")
    if "h" in groups or "h_ordinal" in groups:
        half = int(groups["h"]) if "h" in groups else _ordinal(groups["h_ordinal"], 2)
        return named("half", half * 6 - 5, year, f"H{half} {year}") if half <= 2 else None
    quarter = _quarter(groups)
    return named("quarter", quarter * 3 - 2, year, f"Q{quarter} {year}")


def _quarter(groups: dict[str, str]) -> int:
    if "q_ordinal" in groups:
        return _ordinal(groups["q_ordinal"], 4)
    return number(groups.get("q") or groups.get("q_before") or groups["q_name"])


def _month(text: str) -> int:
    return next(place for place, name in enumerate(MONTHS, start=1) if name.lower().startswith(text[:3]))


def _in_year(found: re.Match[str], today: date | None) -> Period | None:
    year = _whole_year(found, today)
    return None if year is None else _part(found, year)


def _latest(found: re.Match[str], today: date | None) -> Period | None:
    """The newest one that has begun; for the `last` one, the newest that is over."""
    if today is None:
        return None
    this = re.search(r"\bthis\b(?! past| last)", found[0]) is not None
    for year in (today.year, today.year - 1, today.year - 2):
        period = _part(found, year)
        if period and period.start and period.end and (period.start if this else period.end) <= today:
            return period
    return None


def _year_alone(found: re.Match[str], today: date | None) -> Period | None:
    year = _whole_year(found, today)
    # Beside a part of a year that could not be read with it, the whole year is not meant.
    if year is None or _PART_ALONE.search(found.string):
        return None
    return named("year", 1, year, str(year))


def _digits(found: re.Match[str], _: date | None) -> Period | None:
    year, month = int(found["y1"] or found["y2"]), int(found["m1"] or found["m2"])
    return named("month", month, year, f"{MONTHS[month - 1]} {year}") if 1 <= month <= 12 else None


def _two_parts(found: re.Match[str], today: date | None) -> Period | None:
    """From the beginning of one part to the end of another; the first may be without a year of its own."""
    last = _PART_IN_YEAR.search(found["last"])
    first = _PART_ALONE.search(found["first"])
    if last is None or first is None:
        return None
    end = _in_year(last, today)
    own = _PART_IN_YEAR.search(found["first"])
    begin = _in_year(own, today) if own else _part(first, _whole_year(last, today) or 0)
    if end is None or begin is None or begin.start is None or end.end is None:
        return None
    if begin.start >= end.end and own is None:
        begin = _part(first, (_whole_year(last, today) or 0) - 1)
    return between(begin.start, end.end) if begin and begin.start else None


def _two_days(found: re.Match[str], today: date | None) -> Period | None:
    last = _day(found["last"], None)
    first = _day(found["first"], last.year if last else None)
    return between(first, last + timedelta(days=1)) if first and last else None


def _day(text: str, year: int | None) -> date | None:
    found = _DAY.fullmatch(text.strip(" ,"))
    if found is None:
        return None
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        own = found["after_year"] or found["before_year"]
        month = _month(found["after_month"] or found["before_month"])
        return date(int(own) if own else year or 0, month, int(found["after"] or found["before"]))
    except ValueError:
        return None


def _since(found: re.Match[str], today: date | None) -> Period | None:
    part = _PART_IN_YEAR.search(found["since"])
    begin = _in_year(part, today) if part else None
    if today is None or begin is None or begin.start is None:
        return None
    return between(begin.start, today)


def _current(found: re.Match[str], today: date | None) -> Period | None:
    """From the beginning of the week, month, quarter or year that it is, to today."""
    if today is None:
        return None
    unit = found["unit"] or found["so_far"] or found["to_date"]
    starts = {
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "quarter": date(today.year, (today.month - 1) // 3 * 3 + 1, 1),
        "year": date(today.year, 1, 1),
    }
    return between(starts[unit], today + timedelta(days=1))


_PART_ALONE = re.compile(rf"{_P['start']}{_P['part']}")
_PART_IN_YEAR = re.compile(rf"{_P['start']}{_P['part']}{_P['link']}(?:{_P['year']}|{_P['other_year']})")

_DAY = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|{_P['month'].replace('month', 'after_month')} (?P<after>\d{{1,2}})(?:st|nd|rd|th)?"
    r"(?:,? (?P<after_year>\d{4}))?"
    rf"|(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_P['month'].replace('month', 'before_month')}"
    r"(?:,? (?P<before_year>\d{4}))?"
)

_MEANINGS: dict[str, Build] = {
    build.__name__.lstrip("_"): build
    for build in (_two_days, _two_parts, _since, _in_year, _latest, _digits, _year_alone, _current)
}
WAYS = tuple((re.compile(way["pattern"]), _MEANINGS[way["means"]]) for way in _P["ways"])
"""Ways to name a period of the calendar, in the order in which they are tried."""
