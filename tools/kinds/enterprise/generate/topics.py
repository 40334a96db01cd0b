"""What people do, meet and plan in each topic of a project."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from tools.kinds.enterprise.generate.grammar import MONTHS
from tools.kinds.enterprise.generate.staff import ORDINARY
from tools.kinds.enterprise.generate.wording import fill, texts

Kind = Literal["done", "trouble", "next", "gain"]
"""What a sentence tells: what was done, what goes wrong, what is planned, why it matters."""

_FEW = ("three", "four", "five", "six", "seven", "eight", "nine")
_SHARES = ("a third", "a quarter", "a fifth", "nearly half", "about half", "two thirds", "more than half")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


@dataclass(frozen=True)
class Bank:
    """The words of one topic. Sentences have slots, which are filled as they are said.

    Attributes:
        things: concrete parts of the topic, noun phrases with an article.
        done: what was done, in the first person plural.
        trouble: what goes wrong or slows down.
        next: what is planned.
        gain: why it matters to staff or customers.
    """

    things: tuple[str, ...]
    done: tuple[str, ...]
    trouble: tuple[str, ...]
    next: tuple[str, ...]
    gain: tuple[str, ...]

    def say(self, numbers: random.Random, kind: Kind) -> str:
        """A sentence of a kind."""
        return self.sample(numbers, kind, 1)[0]

    def sample(self, numbers: random.Random, kind: Kind, count: int) -> list[str]:
        """Different sentences of a kind, as many as there are up to `count`."""
        forms: tuple[str, ...] = getattr(self, kind)
        return [said(numbers, form) for form in numbers.sample(forms, min(count, len(forms)))]


def domains(department: str) -> dict[str, list[str]]:
    """The domains of a department's projects, each with its topics. No two domains share a topic."""
    return {domain: list(topics) for domain, topics in _data(department).items()}


@cache
def details(topic: str) -> Bank:
    """The words of a topic of any department.

    Raises:
        KeyError: if no department has this topic.
    """
    return _banks()[topic]


@cache
def _banks() -> Mapping[str, Bank]:
    found: dict[str, Bank] = {}
    for department in ORDINARY:
        for topics in _data(department).values():
            for topic, lists in topics.items():
                if topic in found:
                    raise ValueError(f"two domains have the topic {topic!r}")
                found[topic] = _bank(topic, lists)
    return found


def _bank(topic: str, lists: Mapping[str, list[str]]) -> Bank:
    names = {one.name for one in fields(Bank)}
    if lists.keys() != names or not all(lists.values()):
        raise ValueError(f"the topic {topic!r} needs sentences for each of {', '.join(sorted(names))}")
    return Bank(**{name: tuple(lines) for name, lines in lists.items()})


def said(numbers: random.Random, form: str, **more: str) -> str:
    """A sentence with its slots filled, and those of `more`."""
    if "{" not in form:
        return form
    slots = {
        **more,
        "few": numbers.choice(_FEW),
        "number": str(numbers.randint(12, 95)),
        "large": str(numbers.randint(120, 940)),
        "share": numbers.choice(_SHARES),
        "weekday": numbers.choice(_WEEKDAYS),
        "city": numbers.choice(texts("names")["cities"]),
        "month": numbers.choice(MONTHS),
        "unit": numbers.choice(_units()),
    }
    said = fill(form, slots)
    return said[0].upper() + said[1:]


@cache
def _units() -> tuple[str, ...]:
    departments = texts("employees")["departments"]
    return tuple(team for code in ORDINARY for team in departments[code]["teams"])


def _data(department: str) -> dict[str, dict[str, dict[str, list[str]]]]:
    """By domain and topic the lists of the department's file."""
    return texts(f"topics/{department}")
