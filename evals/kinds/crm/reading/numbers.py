"""Numbers, extremes and least numbers of cases, in digits and words."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from worksmith.evals.kinds.crm.reading.patterns import PATTERNS

_P = PATTERNS["numbers"]
_VALUES: dict[str, int] = PATTERNS["values"]

WORDS: str = _P["words"]
"""A number in words."""

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
    whole, halves = re.subn(rf"[.,]5$| ?½$| 1/2$|{_P['one_half']}$", "", plain)
    return Fraction(number(whole)) + Fraction(halves, 2)


Extreme = Literal["min", "max"]
Scale = Literal["time", "speed", "count"]
"""`time` is of durations (the highest is the slowest), `speed` of how something is done."""

_SCALES: dict[Scale, list[dict[str, Any]]] = {
    "speed": _P["speed"],
    "time": [*_P["speed"], *_P["time"]],
    "count": _P["count_of"],
}


def extreme_at(text: str, scale: Scale, place: tuple[int, int]) -> tuple[int, Extreme] | None:
    """The end of the scale that is named nearest to what is measured, after the letters between them.

    Args:
        text: in small letters, without its period and threshold.
        place: of what is measured.
    """
    found: list[tuple[int, Extreme]] = []
    taken: list[tuple[int, int]] = []
    for entry in _SCALES[scale]:
        for match in re.finditer(entry["pattern"], text):
            start, stop = match.span()
            if not any(start < later and earlier < stop for earlier, later in taken):
                taken.append((start, stop))
                found.append((_distance((start, stop), place), entry["end"]))
    return min(found, default=None)


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def _value(text: str) -> int:
    return _TIMES[text] if text in _TIMES else number(text.removesuffix(" one") if " one" in text else text)


def _more(found: re.Match[str]) -> int:
    return _value(found["n"])


def _least(found: re.Match[str]) -> int:
    return max(_value(found["n"]) - 1, 0)


def _fixed(above: int | None) -> Callable[[re.Match[str]], int | None]:
    return lambda _: above


_MEANINGS: dict[str, Callable[[re.Match[str]], int | None]] = {"more": _more, "least": _least}
_WAYS = tuple(
    (re.compile(way["pattern"]), _MEANINGS.get(way["means"], _fixed(way.get("value")))) for way in _P["ways"]
)


def threshold(text: str) -> tuple[tuple[int, int], int | None] | None:
    """Find the number of cases that an agent must exceed.

    Args:
        text: in small letters, without its period.

    Returns:
        The place of the threshold and the number; no number where the wording says none (`a few cases`).
    """
    for pattern, build in _WAYS:
        found = pattern.search(text)
        if found is not None:
            return found.span(), build(found)
    return None
