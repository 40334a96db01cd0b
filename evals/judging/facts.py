"""What a response says of the facts it was asked for, by rule: which are there, and what in it is false.

More lenient with wording than the scores of answers are, and stricter with what stands beside the facts: a
name or a record that is not known from anywhere counts as false wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evals.answers.judging import alike, entity_places
from evals.answers.values import Token, places, plain, same, tokens
from evals.task import Answer, Entity

_NAME = re.compile(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)+")
_CAPITAL = re.compile(r"(?<=[\w,:] )[A-Z][\w'-]+")
_CODE = re.compile(r"\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{12,}\b")
_PARTS = re.compile(r"[;\n]")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_LONGEST_PART = 8
"""Words of a part of a list that can be a value."""

_TRACEABLE = frozenset({"id", "email", "date"})
"""Kinds of values that nobody computes: what a response says of them it has read somewhere or made up."""


@dataclass(frozen=True)
class Facts:
    """What a response says of the facts.

    Attributes:
        required: how many it has to name.
        missing: those it does not.
        false: what it says that is not so, or that does not belong there.
    """

    required: int
    missing: tuple[str, ...] = ()
    false: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the facts that are there."""
        return 1 - len(self.missing) / self.required if self.required else 1.0


def facts_in(
    response: str, answer: Answer, question: str, *, known: str = "", evidence: Sequence[str] = ()
) -> Facts:
    """What `response` says of the values that `answer` requires.

    Args:
        known: texts that may be repeated: what the task tells besides.
        evidence: what the agent was shown; empty if that is not known.
    """
    said = tokens(response)
    found = {entity: entity_places(said, entity) for entity in answer.required}
    covered = {n for spans in found.values() for start, end in spans for n in range(start, end)}
    missing = tuple(entity.value for entity in answer.required if not found[entity])
    reading = _Reading(response, said, covered, answer, f"{question}\n{known}", tuple(evidence), missing)
    return Facts(len(answer.required), missing, tuple(dict.fromkeys(reading.false())))


@dataclass(frozen=True)
class _Reading:
    """A response and what is known around it."""

    response: str
    said: Sequence[Token]
    covered: set[int]
    answer: Answer
    told: str
    evidence: tuple[str, ...]
    missing: tuple[str, ...]

    def false(self) -> Iterator[str]:
        """What is not so."""
        asked = tokens(self.told)
        spans = {(self.said[n].start, self.said[n].end) for n in self.covered}
        for n, token in enumerate(self.said):
            if n in self.covered or any(same(token, other) for other in asked):
                continue
            if any(alike(token, entity) for entity in self.answer.required) or self._made_up(token):
                yield token.value
        text = plain(self.response)
        for match in (*self._names(text), *_CODE.finditer(text), *self._parts(text)):
            overlaps = any(start < match.end() and match.start() < end for start, end in spans)
            if not overlaps and not self._known(match[0]):
                yield match[0].strip()

    def _made_up(self, token: Token) -> bool:
        """Whether a value that nobody computes is in nothing that the agent was shown."""
        if token.kind not in _TRACEABLE or not self.evidence:
            return False
        shown = (*self.evidence, self.answer.reference)
        return not any(same(token, other) for text in shown for other in tokens(text))

    def _names(self, text: str) -> Iterator[re.Match[str]]:
        for match in _NAME.finditer(text):
            start = match.start()
            for word in match[0].split():
                if word.lower() not in _plain_words():
                    break
                start += len(word) + 1
            rest = _NAME.match(text, start) if start < match.end() else None
            if rest:
                yield rest
        if any(_is_text(entity) and entity.value in self.missing for entity in self.answer.required):
            yield from (m for m in _CAPITAL.finditer(text) if m[0].lower() not in _plain_words())

    def _parts(self, text: str) -> Iterator[re.Match[str]]:
        """Parts of a list that look like values."""
        if not _PARTS.search(text):
            return
        for match in re.finditer(r"[^;\n]+", text):
            words = [token.value for token in tokens(match[0])]
            if 0 < len(words) <= _LONGEST_PART and not any(word in _plain_words() for word in words):
                yield match

    def _known(self, text: str) -> bool:
        """Whether it stands, or each of its words does, in what the task or its answer says.

        What the agent was shown does not count where people are asked for: all of them may have been shown.
        """
        words = tokens(text)
        values = [form for entity in self.answer.required for form in (entity.value, *entity.alias)]
        given = tokens("\n".join((self.told, self.answer.reference, *values)))
        if all(any(same(word, other) for other in given) for word in words):
            return True
        if any(entity.type == "person" for entity in self.answer.required) or self.missing:
            return False
        return any(places(tokens(shown), words) for shown in self.evidence)


def says_denied(text: str) -> bool:
    """Whether a text says that something is not permitted."""
    return bool(_denied().search(" ".join(plain(text).lower().split())))


def words_in(text: str) -> int:
    """How many words a text has."""
    return len(text.split())


def first_sentence(text: str) -> str:
    """A text as far as its first sentence goes."""
    return _SENTENCES.split(text.strip(), maxsplit=1)[0]


def _is_text(entity: Entity) -> bool:
    return entity.type == "text" and len(entity.value.split()) == 1


@cache
def _plain_words() -> frozenset[str]:
    return frozenset(_data()["plain"])


@cache
def _denied() -> re.Pattern[str]:
    return _either(_data()["denied"])


def _either(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b")


@cache
def _data() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(files("evals.judging").joinpath("phrases.toml").read_text(encoding="utf-8"))
