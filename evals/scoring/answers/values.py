"""Values in text: dates, amounts, ids, names, normalised so that equal values are equal tokens.

`4th of March 2022` is `2022-03-04`, `Rs. 1,234.50` is `1234.5`, `EMP_0007's` is `emp-0007`. Ambiguous days
and months stay words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import regex  # type: ignore[import-untyped]

from worksmith.retrievers.texts.words import CHARACTER, LETTER, WORD, composed

Kind = Literal["date", "month", "time", "number", "id", "email", "word"]


class Token(NamedTuple):
    """A word or value; `start` and `end` are its place in the `plain` text."""

    kind: Kind
    value: str
    start: int
    end: int


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_SCALES = {
    "k": 1_000,
    "thousand": 1_000,
    "lakh": 100_000,
    "million": 1_000_000,
    "crore": 10_000_000,
    "billion": 1_000_000_000,
}
_APART = rf"(?<!{WORD})(?<![.)-])"
_LETTERS = rf"(?:(?!_){LETTER}){{1,8}}"
_PART = rf"(?:(?!_){WORD})+"
# Repetitions within a word are bounded, so that time is linear in the length of a text.
_TOKEN = regex.compile(
    rf"""
    (?P<email>[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+)
    |(?P<iso>\d{{4}}[-/]\d\d?[-/]\d\d?(?!\d))
    |(?P<dmy>{_DAY}[ -](?:of\ )?{_MONTH}[ ,-]*\d{{4}}\b)
    |(?P<mdy>{_MONTH}[ -]{_DAY}(?:,\ ?|[ -])\d{{4}}\b)
    |(?P<figures>\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}\b)
    |(?P<ym>\d{{4}}-\d\d(?![\d-]))
    |(?P<my>{_MONTH}[ ,]+\d{{4}}\b)
    |(?P<id>(?<!{WORD}){_LETTERS}(?:[-_]\d|[-_]{_LETTERS}[-_]\d|(?<=\w\w)\d{{3}})\w*(?:[-_]\w+)*)(?:'s\b)?
    |(?P<time>T?\d{{1,2}}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\b)?)
    |(?:(?:[$€£¥₹]|\b(?:rs\.?|inr|usd|eur|gbp))\s?)?
     (?P<number>{_APART}-?\d{{1,3}}(?:,\d{{2,3}}){{1,9}}(?:\.\d+)?(?!\d|,\d)|{_APART}-?\d+(?:\.\d+)?|\d+)
     (?:\s?(?P<scale>k|thousand|lakh|crore|million|billion)s?\b)?
     (?:\s?(?:%|percent\b|per\ cent\b|(?:rupee|dollar|euro)s?\b|(?:inr|usd|eur|gbp)\b)|(?:st|nd|rd|th)\b)?
    |(?P<word>{CHARACTER}|{_PART}(?:[.'_+]{_PART})*)
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_ACCENTS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_NUMBER_IN = re.compile(r"\d+")
_MEANINGLESS = frozenset({"a", "an", "the"})
_SAME = {"true": "yes", "false": "no"}
TYPED = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | {"\u3002": ".", "\u3001": ","}
)
"""Quotes, dashes and full stops as a keyboard types them."""

_PLAIN = TYPED | str.maketrans("*`#", "   ")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """The text in plain characters: no accents, no typographic quotes or dashes, no Markdown emphasis."""
    # Only Latin letters have accents: in other alphabets a mark makes another letter.
    letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return composed(letters).translate(_PLAIN)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and values of a text in order; articles are left out."""
    found = (_token(match) for match in _TOKEN.finditer(plain(text)))
    return tuple(token for token in found if token is not None)


def says(text: str, value: str) -> bool:
    """Whether the text has the value in any form, but not as a part of a longer word."""
    return bool(places(tokens(text), tokens(value)))


def says_all(text: str, values: Iterable[str]) -> bool:
    return all(says(text, value) for value in values)


def places(text: Sequence[Token], value: Sequence[Token]) -> list[tuple[int, int]]:
    """The places of the value's tokens in a row: first index and the one after the last."""
    size = len(value)
    if not size:
        return []
    return [
        (start, start + size)
        for start in range(len(text) - size + 1)
        if all(same(text[start + n], value[n]) for n in range(size))
    ]


def same(found: Token, wanted: Token) -> bool:
    """Whether two tokens are the same value; the found number may have more decimals."""
    if found.kind != wanted.kind:
        return False
    if found.value == wanted.value:
        return True
    decimals = len(wanted.value.partition(".")[2])
    if found.kind != "number" or not decimals:
        return False
    return round(Decimal(found.value), decimals) == Decimal(wanted.value)


def _token(match: Any) -> Token | None:
    kind = str(match.lastgroup)
    if match["number"] is not None:
        amount = Decimal(match["number"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1)
        return Token("number", _digits(amount), match.start(), match.end())
    text = match[kind].casefold()
    if kind == "word":
        word = text.removesuffix("'s")
        word = _SAME.get(word, word)
        return None if word in _MEANINGLESS else Token("word", word, match.start(), match.end())
    if kind in ("email", "id"):
        value = _id(text) if kind == "id" else text
        return Token(kind, value, match.start(), match.end())  # type: ignore[arg-type]
    if kind == "time":
        return Token("time", _time(text), match.start(), match.end())
    day = _date(kind, text)
    if day is None:
        return Token("word", text, match.start(), match.end())
    return Token("month" if len(day) == 7 else "date", day, match.start(), match.end())


def _digits(amount: Decimal) -> str:
    return format(amount.normalize() + 0, "f")


def _id(text: str) -> str:
    """`EM-000123`, `em_000123` and `EM000123` are one id."""
    return re.sub(r"^([^\W\d]+?)[-_]?(?=\d)", r"\1-", text).replace("_", "-")


def _time(text: str) -> str:
    hours, minutes = (int(part) for part in _NUMBER_IN.findall(text)[:2])
    half = re.search(r"([ap])\.?m$", text)
    if half:
        hours = hours % 12 + (12 if half[1] == "p" else 0)
    return f"{hours:02}:{minutes:02}"


def _date(kind: str, text: str) -> str | None:
    """`2022-03-04` or `2022-03`; None for no date or an ambiguous one."""
    numbers = [int(part) for part in _NUMBER_IN.findall(text)]
    named = next((n for n, name in enumerate(_MONTHS, start=1) if re.search(rf"\b{name}", text)), 0)
    if kind in ("ym", "my"):
        year, month, day = numbers[0], named or numbers[-1], 1
    elif kind == "iso":
        year, month, day = numbers
    elif kind == "figures":
        first, second, year = numbers
        if first <= 12 and second <= 12 and first != second and "/" in text:
            return None
        day, month = (second, first) if second > 12 else (first, second)
    else:
        (day, year), month = numbers, named
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return f"{year:04}-{month:02}" if kind in ("ym", "my") else f"{year:04}-{month:02}-{day:02}"
