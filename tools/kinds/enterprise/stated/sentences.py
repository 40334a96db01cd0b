"""The way back from a text to the facts that it states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from worksmith.tools.kinds.enterprise.generate.grammar import MONTHS, Grammar

Back = Callable[[str], str]

_SLOT = re.compile(r"\{(\w+)\}")
_WRITTEN = re.compile(r"(?P<day>\d{1,2} [A-Z][a-z]+ \d{4})(?: at (?P<clock>\d\d:\d\d))?")


def _iso_day(text: str) -> str:
    number, month, year = text.split()
    return f"{year}-{MONTHS.index(month) + 1:02d}-{int(number):02d}"


def _as_is(text: str) -> str:
    return text


def _any_read(text: str) -> str:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text.removesuffix(" rupees").replace(",", "") if text.endswith(" rupees") else text
    return f"{_iso_day(found['day'])}T{found['clock']}" if found["clock"] else _iso_day(found["day"])


def _money(text: str) -> str:
    return text.removesuffix(" rupees").replace(",", "")


_TYPES: dict[str, tuple[str, Back]] = {
    "day": (rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}", _iso_day),
    "money": (r"[\d,]+ rupees", _money),
    "percent": (r"\d{1,3}", _as_is),
    "number": (r"\d+", _as_is),
    "time": (r"\d\d:\d\d", _as_is),
    "version": (r"\d+\.\d+", _as_is),
    "person": (r"[A-Z][\w'-]*\.?(?: [A-Z][\w'-]*\.?)+", _as_is),
    "name": (r"[A-Z0-9][^\n]*?", _as_is),
    "key": (r"[A-Z0-9][\w-]*", _as_is),
    "code": (r"`[^`\n]+`", lambda text: text[1:-1]),
}
"""How a value of each type looks in a text and how it is read."""

_compiled: dict[tuple[int, str, str], re.Pattern[str]] = {}


def read(words: Grammar, slot: str, text: str, fact: str | None = None) -> set[str]:
    """All values that sentences of `text` of the kind `slot` state for `fact`, in canonical form.

    A kind of sentences is named after the fact that it states, unless `fact` says otherwise.
    """
    fact = fact or slot
    found: set[str] = set()
    for form in words.data["say"][slot]:
        if _longest_part(form) in text:  # much faster than the pattern alone
            found.update(match["slot"] for match in _pattern(words, form, fact).finditer(text))
    return set(map(_back(words, fact), found))


def problems(
    words: Grammar, where: str, text: str, facts: Mapping[str, str], slots: Iterable[str]
) -> list[str]:
    """Which of `slots` the text does not state, or not as `facts` have it, or more than one way."""
    found = []
    for slot in slots:
        stated = read(words, slot, text)
        if stated != {facts[slot]}:
            found.append(f"{where}: {slot} is {facts[slot]!r}, the text says {sorted(stated)}")
    return found


@cache
def _longest_part(form: str) -> str:
    return max(_SLOT.split(form)[::2], key=len)


def _back(words: Grammar, slot: str) -> Back:
    """How a value of a slot is read."""
    kind = words.types.get(slot)
    return _any_read if kind == "any" else _TYPES[kind][1] if kind else _as_is


def _looks(words: Grammar, slot: str) -> str:
    """A pattern for the values of a slot."""
    kind = words.types.get(slot)
    if kind == "any":
        day, money, person = (_TYPES[one][0] for one in ("day", "money", "person"))
        pattern = (
            rf"{day} at \d\d:\d\d|{day}|{money}|\d+ (?:percent|units|cartons|pallets|people)|release \d+\.\d+"
        )
        return f"{pattern}|{_phrases(words, slot)}|{person}"
    return _TYPES[kind][0] if kind else _phrases(words, slot)


def _phrases(words: Grammar, slot: str) -> str:
    """A pattern for the phrases of a pool; without a pool, anything short without line ends and quotes."""
    if slot not in words.pools:
        return r"[^\n\"]{1,120}?"
    longest_first = sorted(words.pools[slot], key=len, reverse=True)
    return "|".join(re.escape(phrase) for phrase in longest_first)


def _pattern(words: Grammar, form: str, wanted: str) -> re.Pattern[str]:
    """A form as a pattern, a whole sentence or the end of one."""
    key = (id(words.data), form, wanted)
    if key not in _compiled:
        parts = _SLOT.split(form)
        pattern = r"(?:^|(?<=[\s]))"
        for place, part in enumerate(parts):
            if place % 2 == 0:
                pattern += re.escape(part)
            else:
                group = "?P<slot>" if part == wanted and "?P<slot>" not in pattern else "?:"
                pattern += f"({group}{_looks(words, part)})"
        _compiled[key] = re.compile(pattern + r"(?=\s|$)", re.MULTILINE)
    return _compiled[key]
