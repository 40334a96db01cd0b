"""Numbers as words, and lower bounds: `over 2`, `at least three`, `3 or more`."""

from __future__ import annotations

import re

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
)
"""Words for small numbers, in order."""

_ABOVE = re.compile(r"\b(?:more than|over|above|greater than|beyond|exceed(?:s|ed|ing)?)\s+$", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:at least|no fewer than|no less than|not fewer than|not less than|a minimum of)\s+$", re.IGNORECASE
)
_OR_MORE = re.compile(r"(?:\s+or more\b|\s+and more\b|\s+or above\b|\+)", re.IGNORECASE)
_NEAR = 24


def exceeded(text: str, start: int, end: int, number: float) -> float | None:
    """The number to be exceeded, where the number at `text[start:end]` is said to be a lower bound."""
    before = text[max(0, start - _NEAR) : start]
    if _FROM.search(before) or _OR_MORE.match(text, end):
        return number - 1
    return number if _ABOVE.search(before) else None


def plain(value: float) -> float | int:
    """A whole number as an integer."""
    return int(value) if value == int(value) else value
