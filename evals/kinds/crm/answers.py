"""The content of an answer to a CRM question, read by rules: ids, a month, a state, or that there is nothing.

The published metric compares strings, so that an id of 15 characters or a full stop is a mistake; its
successor asks a language model for the meaning. Here the values of the required kind are looked up, in any
form and place. An answer that names several is as many values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from worksmith.evals.kinds.crm.task_types import ValueKind
from worksmith.evals.scoring.answers.matching import find_values
from worksmith.evals.scoring.answers.nothing import says_nothing, trimmed
from worksmith.evals.tasks.task import Entity
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import OBJECTS

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
        dates: days (`2022-03-04`) stand for their months; otherwise they name no month.
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


NONE = "None"
"""The answer for an empty result."""

_PREFIXES: Mapping[str, str] = {
    "user_id": OBJECTS["User"].prefix,
    "product_id": OBJECTS["Product2"].prefix,
    "article_id": OBJECTS["Knowledge__kav"].prefix,
    "issue_id": OBJECTS["Issue__c"].prefix,
}
_ID = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?(?![A-Za-z0-9])")
_CODE = re.compile(r"(?<![A-Za-z0-9_])[A-Z]{2}(?![A-Za-z0-9_])")
_CAPITAL = re.compile(r"\bwashington,? d\.? ?c\b\.?|\bd\.c\b\.?", re.IGNORECASE)


def named(text: str, kind: ValueKind) -> frozenset[str]:
    """The values of a kind that a text names, each in its only spelling.

    Ids have 18 characters, states their two letters, months the form of `months`. A `text` is one value.
    """
    if kind in _PREFIXES:
        ids = (canonical(match[0]) for match in _ID.finditer(text))
        return frozenset(each for each in ids if each is not None and each.startswith(_PREFIXES[kind]))
    if kind == "month":
        return months(text)
    if kind == "state":
        return _states(text)
    return frozenset({trimmed(text)} - {""})


def says_none(answer: str, kind: ValueKind, status: str = "") -> bool:
    """Whether an answer says that there is nothing, and names nothing of the kind asked for.

    A sentence may say that and name something else; whether it does so rightly is for `is_right` to say.

    Args:
        status: what the agent says of itself; with `not_found` an empty answer says it as well.
    """
    if not trimmed(answer):
        return status == "not_found"
    if kind == "text":
        return says_nothing(answer)
    return says_nothing(answer, names_value=lambda text: bool(named(text, kind)))


def is_right(answer: str, required: Sequence[Entity], kind: ValueKind, question: str = "") -> bool:
    """Whether an answer names all of the required values and no others of their kind."""
    if kind == "text":
        return find_values(answer, required, question).exact
    spellings = [(each.value, *each.alias) for each in required]
    wanted = [frozenset(value for text in texts for value in named(text, kind)) for texts in spellings]
    said = named(answer, kind)
    if kind == "month" and all(len(value) == 2 for values in wanted for value in values):
        said = frozenset(month[-2:] for month in said)
    return bool(wanted) and all(values & said for values in wanted) and said <= frozenset().union(*wanted)


def _states(text: str) -> frozenset[str]:
    """States by code in capitals, or by name; a code in small letters counts only alone."""
    codes = _data()["states"]
    alone = trimmed(text)
    if alone.upper() in codes:
        return frozenset({alone.upper()})
    rest, capitals = _CAPITAL.subn(" ", text)
    found = {"DC"} if capitals else set()
    found |= {code for code in _CODE.findall(rest) if code in codes}
    by_name = {name.lower(): code for code, name in codes.items()}
    found |= {by_name[" ".join(match[0].lower().split())] for match in _state_names().finditer(rest)}
    return frozenset(found)


@cache
def _state_names() -> re.Pattern[str]:
    # The longest first: Virginia is a part of West Virginia.
    names = sorted(_data()["states"].values(), key=len, reverse=True)
    either = "|".join(names).replace(" ", r"\s+")
    return re.compile(rf"\b(?:{either})\b", re.IGNORECASE)


@cache
def _data() -> dict[str, Any]:
    return read_toml(__package__, "answers.toml")
