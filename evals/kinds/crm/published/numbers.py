"""Numbers in digits and words."""

from __future__ import annotations

import re
from fractions import Fraction

_BELOW_TEN = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"]
_TEENS += ["seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(["zero", *_BELOW_TEN, *_TEENS])}
_VALUES |= {word: value * 10 for value, word in enumerate(_TENS, start=2)}
_VALUES |= {
    "a": 1,
    "an": 1,
    "single": 1,
    "couple": 2,
    "pair": 2,
    "half dozen": 6,
    "dozen": 12,
    "hundred": 100,
}
_TENS_WORD = "|".join(_TENS)
_UNIT_WORD = "|".join([*_TEENS, "zero", *_BELOW_TEN])

WORDS = rf"(?:(?:{_TENS_WORD})(?:[- ](?:{'|'.join(_BELOW_TEN)}))?|{_UNIT_WORD})"
"""A number in words."""

NUMBER = (
    rf"(?:\d{{1,4}}|half a dozen|half[- ]dozen|(?:a |one )?(?:dozen|hundred)|{WORDS})(?: ?\(\d{{1,4}}\))?"
)
"""A number in digits or words; digits may follow words in parentheses."""

COUNT = rf"(?:{NUMBER}|(?:a |the )?(?:couple|pair)(?: of)?|(?:a|one) single|single|an?)"
"""How many of a unit: a number, or a word for one or two."""

_ONE_HALF = r"(?:[ -]and[ -](?:a|one)[ -]half)"
AMOUNT = (
    rf"(?<![\d.,])(?:half (?:of )?(?:an?|the)|a half|\d{{1,3}}(?:[.,]5| ?½| 1/2)(?!\d)"
    rf"|{COUNT}(?:{_ONE_HALF})?(?![.,]\d))"
)
"""How much of a unit: a count, or one with a half."""

_OF = re.compile(r"^(?:an?|the|one) (?=couple|pair|dozen|hundred|single)| of$")
_IN_PARENTHESES = re.compile(r" ?\(\d+\)$")


def number(text: str) -> int:
    """The value of what `NUMBER` or `COUNT` matches."""
    plain = _IN_PARENTHESES.sub("", text.lower().strip())
    if plain.isascii() and plain.isdigit():
        return int(plain)
    plain = _OF.sub("", plain).replace("half a dozen", "half dozen").replace("half-dozen", "half dozen")
    if plain in _VALUES:
        return _VALUES[plain]
    try:
        return sum(_VALUES[word] for word in re.split(r"[- ]+", plain))
    except KeyError as error:
        raise ValueError(f"no number: {text!r}") from error


def amount(text: str) -> Fraction:
    """The value of what `AMOUNT` matches."""
    plain = text.lower().strip()
    if re.match(r"(?:a )?half (?!dozen|a dozen)|a half$", plain):
        return Fraction(1, 2)
    whole, halves = re.subn(rf"[.,]5$| ?½$| 1/2$|{_ONE_HALF}$", "", plain)
    return Fraction(number(whole)) + Fraction(halves, 2)
