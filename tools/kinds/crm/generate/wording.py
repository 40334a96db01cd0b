"""Sentences that state facts, and the way back from a text to the facts of its sentences.

A file of `texts/` that is a grammar has `[say]`: by kind, the sentences of that kind, with slots in braces.
Sentences of `[only."A B"]` may stand only in texts about A or B.
Slots are typed by `[types]` or by `[pools]` (the existing values). Facts are kept in canonical form
(ISO days, plain numbers); sentences show them as people write them. Each sentence of a text is read by itself
and must be one that the grammar knows: a text states exactly the facts of its plan.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import Any

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.moments import MONTHS

_SLOT = re.compile(r"\{(\w+)\}")
_AFTER_A = re.compile(r"(?:\b(a ))?\{(\w+)\}")
_ENDS = re.compile(r"(?<=[.!?]) ")
_NAME = r"[A-Z][\w'-]*"
_VOWELS = frozenset("AEIOU")


@cache
def texts(name: str) -> dict[str, Any]:
    """The data of `texts/<name>.toml`. Shared: callers do not change it."""
    return read_toml(__package__, f"texts/{name}.toml")


def long_day(day: str) -> str:
    """An ISO day as it is written in a text: `March 4, 2022`."""
    value = date.fromisoformat(day)
    return f"{MONTHS[value.month - 1]} {value.day}, {value.year}"


def _iso_day(text: str) -> str:
    month, number, year = text.replace(",", "").split()
    return f"{year}-{MONTHS.index(month) + 1:02d}-{int(number):02d}"


def _counted(noun: str) -> Callable[[str], str]:
    return lambda number: f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def _number(text: str) -> str:
    return text.split()[0]


def _as_is(text: str) -> str:
    return text


_TYPES: dict[str, tuple[str, Callable[[str], str], Callable[[str], str]]] = {
    "day": (rf"(?:{'|'.join(MONTHS)}) \d{{1,2}}, \d{{4}}", long_day, _iso_day),
    "days": (r"\d+ days?", _counted("day"), _number),
    "points": (r"\d+ points?", _counted("point"), _number),
    "percent": (r"\d+ percent", lambda number: f"{number} percent", _number),
    "first": (_NAME, _as_is, _as_is),
    "person": (rf"{_NAME}(?: {_NAME})+", _as_is, _as_is),
    "product": (rf"{_NAME}(?: [A-Z0-9][\w'-]*)+", _as_is, _as_is),
    "phrase": (r"[^.!?\n]+", _as_is, _as_is),
}
"""How a value of each type looks in a text, how it is written and how it is read."""


@dataclass(frozen=True)
class Said:
    """The facts of one sentence.

    Attributes:
        kind: of the sentence; empty if no sentence of the grammar looks like this.
        facts: the values of its slots in canonical form.
        only: the subjects of texts in which the sentence may stand; empty if anything.
    """

    kind: str
    facts: dict[str, str]
    text: str
    only: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Form:
    """A sentence with slots; see `Said`."""

    kind: str
    text: str
    only: frozenset[str] = frozenset()

    @cached_property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.text))

    def fits(self, about: Set[str]) -> bool:
        return not self.only or not self.only.isdisjoint(about)


class Grammar:
    """The sentences of one file of `texts/`. `pools`: values of slots that are listed elsewhere."""

    def __init__(self, data: Mapping[str, Any], pools: Mapping[str, list[str]] | None = None) -> None:
        self.data = data
        self.pools: dict[str, list[str]] = {**data.get("pools", {}), **(pools or {})}
        self._types: Mapping[str, str] = data.get("types", {})
        self._by_word: dict[str, list[tuple[Form, re.Pattern[str]]]] = {}
        self._by_kind: dict[str, list[Form]] = {}
        for form in _forms(data):
            first = form.text.split()[0]
            word = "" if "{" in first else first
            self._by_word.setdefault(word, []).append((form, self._pattern(form.text)))
            self._by_kind.setdefault(form.kind, []).append(form)

    def forms(self, kind: str | None = None, about: Set[str] | None = None) -> list[Form]:
        """The forms of `kind`, or all; of those the ones that may stand in a text about `about`."""
        found = self._by_kind[kind] if kind else [form for each in self._by_kind.values() for form in each]
        return found if about is None else [form for form in found if form.fits(about)]

    def say(
        self,
        numbers: random.Random,
        kind: str,
        facts: Mapping[str, str] | None = None,
        about: Set[str] = frozenset(),
    ) -> str:
        """A sentence of `kind` that may stand in a text about `about`, with its slots filled from `facts`.

        A sentence with a slot that `facts` does not fill is not taken.
        """
        known = facts or {}
        fitting = [form.text for form in self.forms(kind, about) if form.slots <= known.keys()]
        return self.fill(numbers.choice(fitting), known)

    def fill(self, form: str, facts: Mapping[str, str]) -> str:
        """`form` with its slots filled, each as its type is written, and after `an` where that is right."""

        def filled(found: re.Match[str]) -> str:
            value = self._type(found[2])[1](facts[found[2]])
            return ("an " if found[1] and value[:1] in _VOWELS else found[1] or "") + value

        return _AFTER_A.sub(filled, form)

    def readings(self, sentence: str) -> list[Said]:
        """The possible facts of a sentence; one reading if it is of the grammar and the grammar is sound."""
        found: list[Said] = []
        for word in (sentence.split(" ", 1)[0], ""):
            for form, pattern in self._by_word.get(word, ()):
                match = pattern.fullmatch(sentence)
                if match is not None:
                    said = self._said(form, match)
                    if said not in found:
                        found.append(said)
        return found

    def within(self, text: str, kinds: str) -> list[Said]:
        """The facts of sentences of kinds that begin with `kinds`, anywhere in `text`."""
        return [
            self._said(form, match)
            for each in self._by_word.values()
            for form, pattern in each
            if form.kind.startswith(kinds)
            for match in pattern.finditer(text)
        ]

    def _said(self, form: Form, match: re.Match[str]) -> Said:
        back = {slot: self._type(slot)[2](value) for slot, value in match.groupdict().items()}
        return Said(form.kind, back, match[0], form.only)

    def read(self, text: str) -> Iterator[Said]:
        """The facts of the sentences of `text`, in order; unclear ones have no kind."""
        for line in text.split("\n"):
            for sentence in _ENDS.split(line) if line else ():
                found = self.readings(sentence)
                yield found[0] if len(found) == 1 else Said("", {}, sentence)

    def _type(self, slot: str) -> tuple[str, Callable[[str], str], Callable[[str], str]]:
        if slot in self.pools:
            longest_first = sorted(self.pools[slot], key=len, reverse=True)
            return "|".join(re.escape(phrase) for phrase in longest_first), _as_is, _as_is
        return _TYPES[self._types.get(slot, "phrase")]

    def _pattern(self, form: str) -> re.Pattern[str]:
        parts = _SLOT.split(form)
        pattern = ""
        for place, part in enumerate(parts):
            pattern += _literal(part) if place % 2 == 0 else f"(?P<{part}>{self._type(part)[0]})"
        return re.compile(pattern)


def _forms(data: Mapping[str, Any]) -> Iterator[Form]:
    """The sentences of a file; one that is listed for several subjects is one sentence."""
    subjects: dict[tuple[str, str], set[str]] = {}
    for only, kinds in (("", data["say"]), *data.get("only", {}).items()):
        for kind, sentences in kinds.items():
            for sentence in sentences:
                subjects.setdefault((kind, sentence), set()).update(only.split())
    for (kind, sentence), only in subjects.items():
        yield Form(kind, sentence, frozenset(only))


def _literal(part: str) -> str:
    """What stands before a slot, as a pattern; its last word may be either article."""
    return re.escape(part[:-1]) + "n? " if part.endswith(" a ") else re.escape(part)


@cache
def cities() -> list[str]:
    return [city for each in texts("company")["states"].values() for city in each]
