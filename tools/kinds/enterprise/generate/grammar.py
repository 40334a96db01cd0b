"""Sentences that state a fact, and the way back from a text to the facts that it states.

A file of `texts/` that is a grammar has `[types]` (what sort of value a slot holds), `[pools]` (the values
that a slot may have where these are phrases) and `[say]` (by slot the sentences that state it). Facts are
kept in their canonical form (ISO dates, plain numbers); sentences show them as people write them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from typing import Any

from tools.kinds.enterprise.generate.wording import texts

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_WRITTEN = re.compile(r"(?P<day>\d{1,2} [A-Z][a-z]+ \d{4})(?: at (?P<clock>\d\d:\d\d))?")
_SLOT = re.compile(r"\{(\w+)\}")


def long_day(day: str) -> str:
    """An ISO day as it is written in a text: `4 March 2022`."""
    value = date.fromisoformat(day)
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def _iso_day(text: str) -> str:
    number, month, year = text.split()
    return f"{year}-{MONTHS.index(month) + 1:02d}-{int(number):02d}"


def _money(amount: str) -> str:
    return f"{int(amount):,} rupees"


def _as_is(text: str) -> str:
    return text


def _any_written(value: str) -> str:
    """Moments, days and bare numbers (money) as people write them, other values as they are."""
    if _MOMENT.fullmatch(value):
        return f"{long_day(value[:10])} at {value[11:]}"
    if _DAY.fullmatch(value):
        return long_day(value)
    return _money(value) if value.isdigit() else value


def _any_read(text: str) -> str:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text.removesuffix(" rupees").replace(",", "") if text.endswith(" rupees") else text
    return f"{_iso_day(found['day'])}T{found['clock']}" if found["clock"] else _iso_day(found["day"])


_TYPES: dict[str, tuple[str, Callable[[str], str], Callable[[str], str]]] = {
    "day": (rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}", long_day, _iso_day),
    "money": (r"[\d,]+ rupees", _money, lambda text: text.removesuffix(" rupees").replace(",", "")),
    "percent": (r"\d{1,3}", _as_is, _as_is),
    "number": (r"\d+", _as_is, _as_is),
    "time": (r"\d\d:\d\d", _as_is, _as_is),
    "version": (r"\d+\.\d+", _as_is, _as_is),
    "person": (r"[A-Z][\w'-]*\.?(?: [A-Z][\w'-]*\.?)+", _as_is, _as_is),
    "name": (r"[A-Z0-9][^\n]*?", _as_is, _as_is),
    "key": (r"[A-Z0-9][\w-]*", _as_is, _as_is),
    "any": ("", _any_written, _any_read),
    "code": (r"`[^`\n]+`", lambda text: f"`{text}`", lambda text: text[1:-1]),
}
"""How a value of each type looks in a text, how it is written and how it is read."""


class Grammar:
    """The sentences of one file of `texts/`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._types: Mapping[str, str] = data.get("types", {})
        self._pools: Mapping[str, list[str]] = data.get("pools", {})
        self._compiled: dict[tuple[str, str], re.Pattern[str]] = {}

    def value(self, numbers: random.Random, slot: str) -> str:
        return numbers.choice(self._pools[slot])

    def say(self, numbers: random.Random, slot: str, facts: Mapping[str, str]) -> str:
        """A sentence that states `slot`; it may show other facts of `facts` as well."""
        form = numbers.choice(self.data["say"][slot])
        return self.fill(form, facts)

    def fill(self, form: str, facts: Mapping[str, str]) -> str:
        """`form` with its slots filled by `facts`, each as its type is written."""
        return _SLOT.sub(lambda found: self._written(found[1], facts[found[1]]), form)

    def read(self, slot: str, text: str, fact: str | None = None) -> set[str]:
        """All values that sentences of `text` of the kind `slot` state for `fact`, in canonical form.

        A kind of sentences is named after the fact that it states, unless `fact` says otherwise.
        """
        fact = fact or slot
        back = self._type(fact)[2]
        found: set[str] = set()
        for form in self.data["say"][slot]:
            found.update(back(match["slot"]) for match in self._pattern(form, fact).finditer(text))
        return found

    def problems(self, where: str, text: str, facts: Mapping[str, str], slots: Iterable[str]) -> list[str]:
        """Which of `slots` the text does not state, or not as `facts` have it, or more than one way."""
        found = []
        for slot in slots:
            stated = self.read(slot, text)
            if stated != {facts[slot]}:
                found.append(f"{where}: {slot} is {facts[slot]!r}, the text says {sorted(stated)}")
        return found

    def _written(self, slot: str, value: str) -> str:
        return self._type(slot)[1](value)

    def _type(self, slot: str) -> tuple[str, Callable[[str], str], Callable[[str], str]]:
        kind = self._types.get(slot)
        if kind == "any":
            day, money, person = (_TYPES[one][0] for one in ("day", "money", "person"))
            pattern = rf"{day} at \d\d:\d\d|{day}|{money}|\d+ percent|release \d+\.\d+"
            return (f"{pattern}|{self._phrases(slot)}|{person}", _any_written, _any_read)
        return _TYPES[kind] if kind else (self._phrases(slot), _as_is, _as_is)

    def _phrases(self, slot: str) -> str:
        """A pattern for the phrases of a pool; anything short within a line for context without a pool."""
        if slot not in self._pools:
            return r"[^\n]{1,120}?"
        longest_first = sorted(self._pools[slot], key=len, reverse=True)
        return "|".join(re.escape(phrase) for phrase in longest_first)

    def _pattern(self, form: str, wanted: str) -> re.Pattern[str]:
        """A form as a pattern, a whole sentence or the end of one."""
        if (form, wanted) in self._compiled:
            return self._compiled[form, wanted]
        parts = _SLOT.split(form)
        pattern = r"(?:^|(?<=[\s]))"
        for place, part in enumerate(parts):
            if place % 2 == 0:
                pattern += re.escape(part)
            else:
                group = "?P<slot>" if part == wanted and "?P<slot>" not in pattern else "?:"
                pattern += f"({group}{self._type(part)[0]})"
        pattern += r"(?=\s|$)"
        self._compiled[form, wanted] = re.compile(pattern, re.MULTILINE)
        return self._compiled[form, wanted]


@cache
def grammar(name: str) -> Grammar:
    return Grammar(texts(name))
