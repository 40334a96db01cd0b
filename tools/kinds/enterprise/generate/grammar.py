"""Sentences that state a fact.

A file of `texts/` that is a grammar has `[types]` (what sort of value a slot holds), `[pools]` (the values
that a slot may have where these are phrases) and `[say]` (by slot the sentences that state it). Facts are
kept in their canonical form (ISO dates, plain numbers); sentences show them as people write them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from itertools import chain
from typing import Any

from worksmith.tools.kinds.enterprise.generate.wording import texts

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_SLOT = re.compile(r"\{(\w+)\}")


def long_day(day: str) -> str:
    """An ISO day as it is written in a text: `4 March 2022`."""
    value = date.fromisoformat(day)
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def _money(amount: str) -> str:
    return f"{int(amount):,} rupees"


def _any_written(value: str) -> str:
    """Moments, days and bare numbers (money) as people write them, other values as they are."""
    if _MOMENT.fullmatch(value):
        return f"{long_day(value[:10])} at {value[11:]}"
    if _DAY.fullmatch(value):
        return long_day(value)
    return _money(value) if value.isdigit() else value


_WRITERS: dict[str, Callable[[str], str]] = {
    "day": long_day,
    "money": _money,
    "any": _any_written,
    "code": lambda text: f"`{text}`",
}
"""How a value of a type is written; those of other types stand as they are."""


class Grammar:
    """The sentences of one file of `texts/`.

    Attributes:
        data: the file's data.
        types: the sort of value of a slot; empty for phrases.
        pools: the phrases of a slot. In the file they may stand in groups; those of `any` fit everywhere.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.types: Mapping[str, str] = data.get("types", {})
        pools: Mapping[str, list[str] | dict[str, list[str]]] = data.get("pools", {})
        self.groups = {slot: pool for slot, pool in pools.items() if isinstance(pool, dict)}
        self.pools: Mapping[str, list[str]] = {
            slot: list(dict.fromkeys(chain.from_iterable(pool.values()))) if isinstance(pool, dict) else pool
            for slot, pool in pools.items()
        }

    def value(self, numbers: random.Random, slot: str, group: str | None = None) -> str:
        """A phrase for a slot, of `any` or the named group only if there is one."""
        if group is None or slot not in self.groups:
            return numbers.choice(self.pools[slot])
        groups = self.groups[slot]
        return numbers.choice(groups["any"] + groups.get(group, []))

    def say(self, numbers: random.Random, slot: str, facts: Mapping[str, str]) -> str:
        """A sentence that states `slot`; it may show other facts of `facts` as well."""
        form = numbers.choice(self.data["say"][slot])
        return self.fill(form, facts)

    def fill(self, form: str, facts: Mapping[str, str]) -> str:
        """`form` with its slots filled by `facts`, each as its type is written."""
        return _SLOT.sub(lambda found: _written(self.types.get(found[1]), facts[found[1]]), form)


def _written(kind: str | None, value: str) -> str:
    return _WRITERS[kind](value) if kind in _WRITERS else value


@cache
def grammar(name: str) -> Grammar:
    return Grammar(texts(name))
