"""Finding the period that a wording names, however it is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from worksmith.evals.kinds.crm.reading.calendar_periods import WAYS as CALENDAR
from worksmith.evals.kinds.crm.reading.calendar_periods import Build, Period, Unit, back
from worksmith.evals.kinds.crm.reading.numbers import amount
from worksmith.evals.kinds.crm.reading.patterns import PATTERNS
from worksmith.evals.kinds.crm.reading.texts import without

_P = PATTERNS["periods"]
_UNITS: dict[str, tuple[int, Unit]] = PATTERNS["units"]


def _counted(found: re.Match[str], today: date | None) -> Period | None:
    groups = found.groupdict()
    factor, unit = _UNITS[groups["unit"].removesuffix("s")]
    count = (amount(groups["count"]) if groups.get("count") else 1) * factor
    if groups.get("half"):
        count += Fraction(factor, 2)
    if unit == "year" and Fraction(count).denominator == 2:
        unit, count = "month", count * 12
    if Fraction(count).denominator != 1:
        return None
    return back(int(count), unit, today, point=bool(groups.get("ago")))


def _fixed(days: int) -> Build:
    return lambda _, today: back(days, "day", today, point=True)


_WAYS: tuple[tuple[re.Pattern[str], Build], ...] = tuple(
    (re.compile(way["pattern"]), _fixed(way["value"]) if "value" in way else _counted) for way in _P["ways"]
)
_UNANCHORED = tuple(re.compile(pattern) for pattern in _P["unanchored"])

_VAGUELY = re.compile(
    r"\b(?:(?:early|late)[ -](?:in )?|mid[ -]"
    r"|(?:middle|beginning|start|end|part|half|weeks?|days?|months?) of )(?:the )?$"
)
"""Before a period: only some of it is meant, and nobody knows how much."""


def periods(text: str, today: date | None) -> Iterator[tuple[tuple[int, int], Period]]:
    """The periods that a text names, with their places; none overlaps another.

    Args:
        text: in small letters.
        today: the day of the question; without it periods that depend on it have no dates, or are not found
            where even their name depends on it (`last summer`).
    """
    rest = text
    some = False
    for pattern, build in (*CALENDAR, *_WAYS):
        for found in pattern.finditer(rest):
            span = found.span("span" if "span" in pattern.groupindex else 0)
            period = None if _VAGUELY.search(rest[: span[0]]) else build(found, today)
            if period is not None:
                yield span, period
                rest = without(rest, span)
                some = True
    for found in () if some else _lengths(rest):
        period = _counted(found, today)
        if period is not None:
            yield found.span(), period


def _lengths(text: str) -> list[re.Match[str]]:
    return next((hits for pattern in _UNANCHORED if (hits := list(pattern.finditer(text)))), [])
