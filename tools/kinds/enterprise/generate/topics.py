"""What people do, meet and plan in each topic of a project."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Literal

from worksmith.tools.kinds.enterprise.generate.grammar import MONTHS
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.kinds.enterprise.generate.wording import FEW, fill, texts

Kind = Literal["done", "trouble", "next", "gain"]
"""What a sentence tells: what was done, what goes wrong, what is planned, why it matters."""

_SHARES = ("a third", "a quarter", "a fifth", "nearly half", "about half", "two thirds", "more than half")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SLOT = re.compile(r"\{\w+\}")
_STEM = 6
_SMALL_WORDS = """
the with from that this their them they have been were what which when where into over under after before
only also than then there here each every some most more less much very just still once twice both other
others another same such like your ours above below between without within first last next for and but our
are was has had can may not all any who how its his her out off two one new old few
"""
_REST = re.compile(
    r" (?:of|for|on|in|with|that|from|to|at|by|between|behind|beside|who|which|without|above|under|after"
    r"|before|near|against|per|into|as|inside|about|around|over|next) "
)


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

    def part_in(self, form: str) -> str | None:
        """Which of `things` a sentence is about, its slots filled or not; None without one of them."""
        if form not in self._parts:
            found = _stems(form)
            scores = [
                (len(_stems(thing) & found), -place)
                for place, thing in enumerate(self.things)
                if _head(thing) in found or len(_stems(thing) & found) > 1
            ]
            self._parts[form] = self.things[-max(scores)[1]] if scores else None
        return self._parts[form]

    def answer_in(self, forms: Sequence[str], to: str) -> str | None:
        """The sentence about the same part as another that shares most words with it; None without one."""
        part = self.part_in(to)
        about = [one for one in forms if part and self.part_in(one) == part]
        return max(about, key=lambda one: len(_stems(one) & _stems(to)), default=None)

    @cached_property
    def _parts(self) -> dict[str, str | None]:
        return {}


def domains(industry: Industry, department: str) -> dict[str, list[str]]:
    """The domains of a department's projects, each with its topics. No two domains share a topic."""
    return {domain: list(topics) for domain, topics in industry.topics[department].items()}


@cache
def details(industry: Industry, topic: str) -> Bank:
    """The words of a topic of any department.

    Raises:
        KeyError: if no department has this topic.
    """
    return _banks(industry)[topic]


@cache
def _banks(industry: Industry) -> Mapping[str, Bank]:
    found: dict[str, Bank] = {}
    for department in ORDINARY:
        for topics in industry.topics[department].values():
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
        "few": numbers.choice(FEW),
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
def common_words(industry: Industry) -> frozenset[str]:
    """Words that sentences of the topics have in lower case, so that none of them is only a name."""
    return frozenset(
        word
        for bank in _banks(industry).values()
        for one in fields(Bank)
        for line in getattr(bank, one.name)
        for word in _WORD.findall(line)
        if word.islower()
    )


@cache
def _small_words() -> frozenset[str]:
    return frozenset(_SMALL_WORDS.split())


@cache
def _stems(phrase: str) -> frozenset[str]:
    """The beginnings of the words that carry meaning."""
    words: list[str] = _WORD.findall(_SLOT.sub("", phrase.lower()))
    return frozenset(word[:_STEM] for word in words if len(word) > 2 and word not in _small_words())


@cache
def _head(phrase: str) -> str:
    """The stem of the noun that a phrase is about, the last word before the first preposition."""
    words: list[str] = _WORD.findall(_REST.split(phrase.lower())[0])
    return words[-1][:_STEM]


@cache
def _units() -> tuple[str, ...]:
    departments = texts("employees")["departments"]
    return tuple(team for code in ORDINARY for team in departments[code]["teams"])
