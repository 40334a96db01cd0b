"""Taking the turns of a chat between colleagues apart into the phrases of the tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.topics import details
from worksmith.tools.kinds.enterprise.generate.wording import texts

Owner = tuple[str, ...]
"""Where a phrase stands in the tables: `react`, `done`; `say`, `due`; `detail`, `next`."""

_CALL = re.escape(", {other}")
_SLOT = re.compile(r"\\\{(\w+)\\\}")
_OPEN = ("key", "name", "decider", "approver", "successor")
"""Slots with values that may have a full stop."""

_NAME = r"(?-i:[^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*){0,3})"

_BEGINNINGS = ("greeting", "lead", "back")
"""Phrases with which no sentence ends."""

_Form = tuple[re.Pattern[str], Owner]


@dataclass(frozen=True)
class Phrase:
    """A piece of a turn, where it may come from (nowhere if unknown), and the values of its slots."""

    words: str
    owners: tuple[Owner, ...]
    values: Mapping[str, str]


def taken_apart(turn: str, topic: str | None, industry: Industry) -> Iterator[Phrase]:
    """The phrases of a turn, one after another; from the first unknown one on, the rest is one phrase.

    Args:
        topic: what the chat is about; without it, its details are unknown.
    """
    rest = turn
    while rest:
        first = _first(rest)
        tables = (_forms(), _details(industry, topic) if topic else {})
        found = [
            (match, owner)
            for table in tables
            for pattern, owner in (*table.get(first, ()), *table.get("", ()))
            if (match := pattern.match(rest)) and _about(match, topic, industry)
        ]
        if not found:
            yield Phrase(rest, (), {})
            return
        end = max(match.end() for match, _ in found)
        longest = [(match, owner) for match, owner in found if match.end() == end]
        yield Phrase(rest[:end], tuple(owner for _, owner in longest), longest[0][0].groupdict())
        rest = rest[end:].lstrip()


def _about(match: re.Match[str], topic: str | None, industry: Industry) -> bool:
    """Whether a phrase names the topic and a part of it, as far as it names anything."""
    values = match.groupdict()
    if topic is None:
        return "thing" not in values
    return values.get("topic", topic) == topic and values.get("thing") in (
        None,
        *details(industry, topic).things,
    )


def _first(text: str) -> str:
    return re.split(r"[^\w'-]", text, maxsplit=1)[0].lower()


@cache
def _forms() -> dict[str, list[_Form]]:
    data = grammar("conversations").data
    tables = {name: data[name] for name in ("opening", "answer", "ask", "say", "cite")}
    return _indexed([*_lines(tables), *_lines(texts("dialogue"))])


@cache
def _details(industry: Industry, topic: str) -> dict[str, list[_Form]]:
    bank = details(industry, topic)
    kinds = {"done": bank.done, "trouble": bank.trouble, "next": bank.next, "gain": bank.gain}
    return _indexed((form, ("detail", kind)) for kind, forms in kinds.items() for form in forms)


def _lines(table: Any, *path: str) -> Iterator[tuple[str, Owner]]:
    if isinstance(table, str):
        yield table, path
    elif isinstance(table, dict):
        for name, part in table.items():
            yield from _lines(part, *path, name)
    elif isinstance(table, list):
        for part in table:
            yield from _lines(part, *path)


def _indexed(lines: Iterable[tuple[str, Owner]]) -> dict[str, list[_Form]]:
    """Patterns by the first word of what they match; those that begin with a slot by nothing."""
    found: dict[str, list[_Form]] = defaultdict(list)
    for form, owner in lines:
        if form and owner[-1] not in ("months", "weekdays"):
            first = "" if form.startswith("{") else _first(form)
            found[first].append((_pattern(form, whole=not set(_BEGINNINGS) & set(owner)), owner))
    return found


def _pattern(form: str, whole: bool) -> re.Pattern[str]:
    named: set[str] = set()

    def slot(found: re.Match[str]) -> str:
        pool = "|".join(map(re.escape, grammar("conversations").pools.get(found[1], ())))
        values = pool or (r"[^?!\n]{1,90}?" if found[1] in _OPEN else r"[^.?!\n]{1,90}?")
        if found[1] == "topic":
            values = r"[^,.?!\n]{1,60}"
        if found[1] == "other":
            return _NAME
        if found[1] in named:
            return f"(?:{values})"
        named.add(found[1])
        return f"(?P<{found[1]}>{values})"

    called = re.escape(form).replace(re.escape(_CALL), _CALL).replace(_CALL, "\0")
    pattern = _SLOT.sub(slot, called).replace("\0", f"(?:, {_NAME})?")
    return re.compile(f"(?i:{pattern})" + (r"(?=\s|$)" if whole else r"(?:(?<=[ ])|, )"))
