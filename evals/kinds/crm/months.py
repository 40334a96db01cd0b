"""Months in text: `March 2022`, `2022-03` and `Mar. 2022` are one month, `March` is one of any year."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_FULL = re.compile(r"january|february|march|april|june|july|august|september|october|november|december")
_YEAR = r"\b(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?!\d)"
_MONTH = re.compile(
    rf"""
    (?P<date>{_YEAR}-(?P<dated_month>\d\d)-\d\d)
    |(?P<day>{_NAME}\ {_DAY}(?:,?\ {_YEAR})?|\b{_DAY}(?:\ of)?[ -]{_NAME}(?:,?[ -]{_YEAR})?)
    |(?P<iso>{_YEAR})[-/](?P<iso_month>0?[1-9]|1[0-2])(?![-/\d])
    |\b(?P<figure_month>0?[1-9]|1[0-2])[/-](?P<figures>{_YEAR})\b
    |(?P<named_month>{_NAME})(?:,|\ of|\ in)?[ -]*(?P<named>{_YEAR})\b
    |(?P<first>{_YEAR})[ ,-]+(?P<after>{_NAME})
    |(?P<bare>{_NAME})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SIZE = len("2022-03")


def months(text: str, *, dates: bool = False) -> frozenset[str]:
    """The months that a text names, as `2022-03`, or as `03` where it names no year.

    A month that is named with its year is not one of any year as well.

    Args:
        dates: days (`2022-03-04`) stand for their months; otherwise they name none.
    """
    found = set(_found(text, dates))
    return frozenset(found - {month[-2:] for month in found if len(month) == _SIZE})


def year_of(month: str) -> str:
    """The year of a month as `months` writes it, or the empty text."""
    return month[:-3]


def _found(text: str, dates: bool) -> Iterator[str]:
    for match in _MONTH.finditer(text):
        if match["date"]:
            if dates:
                yield match["date"][:_SIZE]
        elif match["bare"]:
            if _is_month(match["bare"], text):
                yield _number(match["bare"])
        elif not match["day"]:
            year = match["iso"] or match["figures"] or match["named"] or match["first"]
            month = match["iso_month"] or match["figure_month"]
            yield f"{year}-{month.zfill(2) if month else _number(match['named_month'] or match['after'])}"


def _is_month(name: str, text: str) -> bool:
    """Whether a name without a year is meant as one: `may` and `mar` in small letters are other words."""
    return not name.islower() or bool(_FULL.match(name)) or not re.search(r"\w", text.replace(name, "", 1))


def _number(name: str) -> str:
    return f"{_NAMES.index(name[:3].lower()) + 1:02}"
