"""Small numbers in words or digits."""

from __future__ import annotations

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
