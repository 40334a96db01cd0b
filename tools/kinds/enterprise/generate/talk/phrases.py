"""The phrases of one chat: all differ, and names and topic are not repeated too often."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.topics import common_words, said
from worksmith.tools.kinds.enterprise.generate.wording import fill, texts

_MOST = {"topic": 6, "project": 6, "thing": 6}
"""So often a chat names its topic, its project, and parts of the topic."""

_CALLS = 0.3
"""How often somebody calls the other one by name where a phrase allows it."""

_SLOT = re.compile(r"\{(\w+)\}")
_LATER = ("Next", "Next,", "After", "Then", "Later")
_PLACES = ("At", "For", "From", "In", "On", "Until")
_CALL = re.compile(r", \{other\}(?=[,.?:])")


class Phrases:
    """Draws phrases for one chat.

    Args:
        numbers: the stream of the chat.
        situations: names of tables of `dialogue.toml` that replace the general phrases.
        facts: what a phrase may name.
    """

    def __init__(self, numbers: random.Random, situations: Sequence[str], facts: Mapping[str, str]) -> None:
        self._numbers = numbers
        self._situations = situations
        self._facts = {**facts, "hobby": numbers.choice(texts("employees")["backgrounds"]["interests"])}
        self._said: set[str] = set()
        self._named: Counter[str] = Counter()
        self._called = False

    def of(self, *path: str, other: str, thing: str | None = None) -> str:
        """A phrase for an occasion.

        Args:
            path: the tables and the key of the occasion in `dialogue.toml`.
            other: who listens.
            thing: the part of the topic that the phrase may name; empty if it may name no part.
        """
        found = next(
            forms for forms in (_find(*start, *path) for start in [*zip(self._situations), ()]) if forms
        )
        return self.one(found, other, thing)

    def one(self, forms: Sequence[str], other: str, thing: str | None = None) -> str:
        """One of `forms`, see `of`."""
        able = [form for form in forms if thing is not None or "thing" not in _names(form)]
        fresh = [form for form in able if self._fits(form)] or able
        form = self._numbers.choice(fresh)
        return self.fill(form, other, thing)

    def fill(self, form: str, other: str, thing: str | None = None) -> str:
        self._said.add(form)
        if self._called or self._numbers.random() >= _CALLS:
            form = _CALL.sub("", form)
        self._called = "{other}" in form
        self._named.update(_names(form))
        facts = {**self._facts, "other": other, "thing": thing or ""}
        return fill(form, facts) if _names(form) <= facts.keys() else said(self._numbers, form, **facts)

    def _fits(self, form: str) -> bool:
        """Whether it is new and does not name topic or project too often."""
        return form not in self._said and all(
            self._named[name] < _MOST.get(name, 99) for name in _names(form)
        )


def lowered(sentence: str) -> str:
    """A sentence as it goes on after a greeting."""
    return sentence if sentence.startswith("I ") else sentence[0].lower() + sentence[1:]


def joined(industry: Industry, lead: str, sentence: str) -> str:
    """A sentence with a beginning before it; without, where its first word is a name or has one already."""
    first, _, rest = sentence.partition(" ")
    named = rest[:1].isupper() and first not in _PLACES
    if first.lower() not in common_words(industry) or first in _LATER or named:
        return sentence
    return f"{lead[:1].upper()}{lead[1:]}{first.lower()} {rest}"


@cache
def _names(form: str) -> frozenset[str]:
    """The slots of a form."""
    return frozenset(_SLOT.findall(form))


@cache
def _find(*path: str) -> tuple[str, ...]:
    found: Any = texts("dialogue")
    for name in path:
        found = found.get(name, {})
    return tuple(found)
