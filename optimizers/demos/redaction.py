"""Redacted twins of demonstrations, for personas that may not read the records that a demonstration quotes.

Every word that comes from a record, from a slot of the task, or from the agent is replaced by a made-up one:
within a demonstration always by the same, in each demonstration by another. The twin shows which value was
copied from where, and not the value or its owner. These stay: words of the tools' descriptions and house
rules, the context of all tasks of an intent, the task's own phrasing around its slots, numbers of one or two
digits, and the number of days between two dates. Where private fields or whole tables are quoted, no number
stays: department and level can be enough to know whose age or rating it is. Nor does one where a call was
denied: the record that a denied call names exists, and a number may be its id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import regex  # type: ignore[import-untyped]

from worksmith.evals.dspy_programs.demo_format import DemoNotes, without_notes
from worksmith.optimizers.demos.demonstration import Call
from worksmith.retrievers.texts.words import CHARACTER, WORD
from worksmith.tools.policy import DENIED, PRIVATE
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment

_PIECE = regex.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)|(?P<clock>T?\d\d:\d\d(?::\d\d)?(?!\d))"
    rf"|(?P<word>{CHARACTER}|(?:(?!_){WORD})+)"
)
_CHARACTER = regex.compile(CHARACTER)
"""Is kept nowhere: names are made of the characters of other words."""

_NOW = re.compile(r"(\d{4}-\d\d-\d\d)(?: \d\d:\d\d)?")
_HANDLE = re.compile(r"#\d+")
"""A handle for the result of a call; the number is the call's own, and of no record."""

_DENIAL = "Access denied. No rule lets you read, create, update, delete any, this record of."
"""The words of every denial. They say nothing about the denied record."""

_WHOLE = ("all", "first")
"""Under these a result with a handle shows its entries."""

_SHIFT = (40, 400)
_CLOCK = ((8, 19), (0, 59), (0, 59))
_SHORT = 2
_ONSETS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_NOTE = " Names and values of this example are made up."


def with_twins(calls: Mapping[str, Call], task: Task, env: Environment) -> dict[str, Call]:
    """The calls; one that quotes records gets its twin among the inputs.

    A task without known slots has no twin, since it is not known which of its words come from records.
    """
    if not task.slots:
        return dict(calls)
    public = _public_words(env)
    return {name: _with_twin(call, task, public) for name, call in calls.items()}


def _with_twin(call: Call, task: Task, public: frozenset[str]) -> Call:
    records = DemoNotes.of(call.inputs).records
    if not records:
        return call
    fields = without_notes(call.fields)
    wholly = any(reference.endswith((PRIVATE, "/*", DENIED)) for reference in records)
    twin = Redaction(fields, task, public, numbers=wholly)(fields)
    notes = DemoNotes(records, {**twin, "context": twin.get("context", "") + _NOTE})
    return Call({**call.inputs, **notes.to_fields()}, call.outputs)


class Redaction:
    """Replaces the words of one demonstration.

    Args:
        fields: the demonstration.
        task: its slots are the part of its text that comes from records.
        public: words that say nothing about any record.
        numbers: replace every number, short ones and those that are public words as well.
    """

    def __init__(
        self, fields: Mapping[str, Any], task: Task, public: frozenset[str], *, numbers: bool = False
    ) -> None:
        self._numbers = numbers
        self._random = rng(0, "redaction", task.id)
        self._kept = public | _words(_around(task.query, task.slots.values()))
        self._private = frozenset().union(*map(_words, _quoted(fields))) - self._kept
        self._private |= frozenset().union(*map(_words, task.slots.values())) - self._kept
        self._made: dict[str, str] = {}
        # The context of all tasks of an intent says nothing about any record.
        self._shared_context = task.context.strip()
        found = _NOW.search(str(fields.get("context", "")))
        self._today, self._now = (found[1], found[0]) if found else ("", "")
        self._shift = timedelta(days=self._random.choice((-1, 1)) * self._random.randint(*_SHIFT))

    def __call__(self, value: Any, key: str = "") -> Any:
        """A field with its words replaced; names of tools and of fields stay, and the present time."""
        if isinstance(value, dict):
            names = _keys(value, key)
            return {self._text(n) if n in names else n: self(item, n) for n, item in value.items()}
        if isinstance(value, list):
            return [self(item, key) for item in value]
        if key == "context" and self._now and isinstance(value, str):
            own = value.removesuffix(self._shared_context)
            before, clock, after = own.partition(self._now)
            return f"{self._text(before)}{clock}{self._text(after)}{value[len(own) :]}"
        if isinstance(value, str) and key != "tool":
            return self._observation(value) if key == "observation" else self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and key != "total":
            return self._text(str(value)) if self._numbers else value
        return value

    def _observation(self, text: str) -> str:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return self._text(text)
        return (
            json.dumps(self(data), ensure_ascii=False) if isinstance(data, dict | list) else self._text(text)
        )

    def _text(self, text: str) -> str:
        return text if _HANDLE.fullmatch(text) else _PIECE.sub(self._replaced, normalize("NFC", text))

    def _replaced(self, piece: re.Match[str]) -> str:
        if piece["day"]:
            return self._day(piece["day"])
        if piece["clock"]:
            return self._clock(piece["clock"])
        word = piece["word"]
        if not self._hides(word):
            return word
        made = self._made.get(word.lower())
        if made is None:
            made = self._made[word.lower()] = _made_up(word.lower(), self._random)
        return made.upper() if word.isupper() else made.capitalize() if word[0].isupper() else made

    def _hides(self, word: str) -> bool:
        if word.isdigit() and (self._numbers or len(word) <= _SHORT):
            return self._numbers
        return word.lower() in self._private

    def _clock(self, text: str) -> str:
        """Another time of the day, written the same way."""
        made = self._made.get(text)
        if made is None:
            hour, minute, second = (self._random.randint(low, high) for low, high in _CLOCK)
            made = f"{'T' if text[0] == 'T' else ''}{hour:02}:{minute:02}:{second:02}"[: len(text)]
            self._made[text] = made
        return made

    def _day(self, text: str) -> str:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            return "0000-00-00"
        return text if text == self._today else (day + self._shift).isoformat()


def _public_words(env: Environment) -> frozenset[str]:
    kind = env.kind
    texts = [tool.text for toolkit in kind.toolkits for tool in toolkit.tools]
    return _remembered(_CHARACTER.sub(" ", "\n".join([*texts, kind.house_rules, kind.finish.text, _DENIAL])))


def _quoted(fields: Mapping[str, Any]) -> Iterator[str]:
    """Every text in a demonstration except the task's wording, thoughts and plans."""
    for name, value in fields.items():
        if name not in ("context", "task", "thought", "reasoning", "plan"):
            yield from _leaves(value)


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        yield from _keys(value, key)
        for name, item in value.items():
            if name not in ("tool", "thought", "plan"):
                yield from _leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, key)
    elif isinstance(value, str):
        yield value


def _keys(mapping: Mapping[str, Any], under: str) -> frozenset[str]:
    """Names in a mapping that are no fields but values themselves, such as agents with their counts."""
    counts = under in _WHOLE and all(isinstance(item, int | float) for item in mapping.values())
    return frozenset(name for name in mapping if counts or any(map(str.isdigit, name)))


def _around(text: str, values: Any) -> str:
    """A task's text with its slot values cut out, the longest first."""
    for value in sorted(values, key=len, reverse=True):
        if value:
            found = rf"(?<!{WORD}){regex.escape(normalize('NFC', value))}(?!{WORD})"
            text = regex.sub(found, " ", normalize("NFC", text), flags=regex.IGNORECASE)
    return str(_CHARACTER.sub(" ", text))


def _words(text: str) -> frozenset[str]:
    return frozenset(
        found["word"].lower() for found in _PIECE.finditer(normalize("NFC", text)) if found["word"]
    )


_remembered = lru_cache(4)(_words)
"""The same texts of all tools come with every demonstration."""


def _made_up(word: str, random: Random) -> str:
    """A word of the same kind: letters for letters, digits for digits."""
    if not word.isalpha():
        return "".join(random.choice("123456789") if c.isdigit() else random.choice(_ONSETS) for c in word)
    syllables = random.randint(2, 3)
    return "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(syllables))
