"""Finding the period that a wording names, however it is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from evals.kinds.crm.published.calendar_periods import PATTERNS as CALENDAR
from evals.kinds.crm.published.calendar_periods import Build, Period, Unit, back
from evals.kinds.crm.published.numbers import AMOUNT, amount
from evals.kinds.crm.published.texts import without

_UNITS: dict[str, tuple[int, Unit]] = {
    "day": (1, "day"),
    "week": (1, "week"),
    "wk": (1, "week"),
    "fortnight": (2, "week"),
    "month": (1, "month"),
    "mo": (1, "month"),
    "quarter": (1, "quarter"),
    "qtr": (1, "quarter"),
    "trimester": (1, "quarter"),
    "half-year": (6, "month"),
    "half year": (6, "month"),
    "semester": (6, "month"),
    "year": (1, "year"),
    "yr": (1, "year"),
    "twelvemonth": (1, "year"),
}
_UNIT_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True))
_KIND = (
    r"(?:(?:calendar|full|whole|complete|entire|business|fiscal|consecutive|straight|rolling|running)[ -])?"
)
_UNIT = rf"{_KIND}(?P<unit>{_UNIT_WORDS})s?\b(?P<half>[ -]and[ -](?:a|one)[ -]half\b)?(?:' time)?"
_PAST = r"(?:past|last|previous|preceding|prior|latest|most recent|recent|trailing|elapsed|foregoing)"
_STRETCH = r"(?: (?:period|window|span|stretch|interval|time ?frame|timespan|time|range))?"
_NOW = (
    r"(?:now|today|the present(?: day)?|date|present|this (?:day|date|point|moment)|then|the day of asking)"
)
_UP_TO = (
    r"(?:ending|ended|up to|up until|until|till|to|through|leading up to|leading to|before|prior to"
    r"|preceding|running up to|count(?:ing|ed) back from|back from|that end(?:s|ed)|that lead up to)"
    rf"(?: and including)?(?: on| with)? {_NOW}"
)
_AGO = r"(?P<ago>ago|back|earlier|prior|before|beforehand|previously|since|gone by|gone)\b"
_BEGIN = r"\b(?:(?:the|these|those|our|its|this|a) )?"
_COUNT = rf"(?P<count>{AMOUNT})"


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


_PATTERNS: tuple[tuple[re.Pattern[str], Build], ...] = tuple(
    (re.compile(pattern), build)
    for pattern, build in (
        (r"\bday before yesterday\b", _fixed(2)),
        (r"\byesterday\b", _fixed(1)),
        (rf"\b(?:since|starting|beginning|as of) {_COUNT}[ -]{_UNIT} (?:ago|back)\b", _counted),
        (
            rf"\b(?:from|between) {_COUNT}[ -]{_UNIT} (?:ago|back)"
            rf" (?:onwards?|until|up to|to|till|through|and)(?: {_NOW})?\b",
            _counted,
        ),
        (rf"{_BEGIN}{_PAST}[ -]{_COUNT}[ -]{_UNIT}{_STRETCH}(?: {_UP_TO})?", _counted),
        (rf"{_BEGIN}{_COUNT}[ -](?:most )?{_PAST}[ -]{_UNIT}{_STRETCH}", _counted),
        (rf"{_BEGIN}{_COUNT}[ -]{_UNIT}{_STRETCH},? {_UP_TO}", _counted),
        (rf"{_BEGIN}{_UNIT}{_STRETCH},? {_UP_TO}", _counted),
        (rf"{_BEGIN}{_UNIT} (?:just )?(?:past|gone|gone by|elapsed)\b", _counted),
        (rf"\b{_COUNT}[ -]{_UNIT} {_AGO}", _counted),
        (rf"{_BEGIN}{_PAST} {_UNIT}{_STRETCH}(?: {_UP_TO})?", _counted),
        (rf"\bthe {_UNIT} (?P<ago>before|prior|earlier)\b(?! last)", _counted),
        (
            # The unit may have been said before: any of the months in the past eight.
            rf"\b(?P<unit>(?:{_UNIT_WORDS})s)\b(?: [a-z]+){{0,3}}? (?P<span>{_BEGIN}{_PAST} {_COUNT}\b)"
            rf"(?![ -](?:{_UNIT_WORDS})s?\b)",
            _counted,
        ),
    )
)
"""Ways to count back from today, in the order in which they are tried; the calendar's own go before."""

_UNANCHORED = (
    re.compile(
        r"\b(?:over|for|within|during|in|across|throughout|inside)(?: (?:the|a))?"
        rf" {_COUNT}[ -]{_UNIT}{_STRETCH}"
    ),
    re.compile(rf"\b{_COUNT}[ -]{_UNIT}{_STRETCH}"),
)
"""Lengths of time that are not said to be past. They count where nothing else does."""

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
    for pattern, build in (*CALENDAR, *_PATTERNS):
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
