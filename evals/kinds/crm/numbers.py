"""Small numbers in words or digits."""

from __future__ import annotations

import re
from random import Random

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
)

NUMBER = rf"(?:\d+|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
"""A regular expression for one, without groups."""

_IN_WORDS = 0.45


def write_number(number: int, random: Random) -> str:
    """`5` or `five`."""
    words = random.random() < _IN_WORDS and number < len(_WORDS)
    return _WORDS[number] if words else str(number)


def read_number(text: str) -> int:
    """What a text that matches `NUMBER` says."""
    return int(text) if text.isdecimal() else _WORDS.index(text.lower())


def write_threshold(number: int, random: Random) -> str:
    """`more than two cases`, `at least 3 cases`; `any cases` for more than none."""
    more = number + 1
    styles = [
        f"{random.choice(('more than', 'over'))} {_cases(number, random)}",
        f"{random.choice(('more than', 'over'))} {_cases(number, random)}",
        f"at least {_cases(more, random)}",
        f"{write_number(more, random)} or more cases",
    ]
    return random.choice(styles if number else ["any cases", "at least one case", "any cases at all"])


def read_threshold(text: str) -> int | None:
    """The number that cases have to exceed; None unless the text says exactly one such number."""
    found = {read_number(number) for number in _MORE_THAN.findall(text)}
    found |= {read_number(first or second) - 1 for first, second in _AT_LEAST.findall(text)}
    found |= {0 for _ in _ANY.findall(text)}
    return found.pop() if len(found) == 1 else None


_MORE_THAN = re.compile(rf"\b(?:more than|over) ({NUMBER}) cases?\b", re.IGNORECASE)
_AT_LEAST = re.compile(rf"\bat least ({NUMBER}) cases?\b|\b({NUMBER}) or more cases\b", re.IGNORECASE)
_ANY = re.compile(r"\bany cases\b", re.IGNORECASE)


def _cases(number: int, random: Random) -> str:
    return f"{write_number(number, random)} case{'' if number == 1 else 's'}"
