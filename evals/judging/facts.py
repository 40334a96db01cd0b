"""The facts of a response, by rule: the required ones that it has, and the false ones.

These rules are more lenient with wording than the scores of answers, and stricter with everything beside the
facts: an unknown name or record counts as false in any place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex  # type: ignore[import-untyped]

from worksmith.evals.scoring.answers import nothing
from worksmith.evals.scoring.answers.matching import alike, entity_places
from worksmith.evals.scoring.answers.values import Token, places, plain, same, tokens
from worksmith.evals.task_kind import value_readers
from worksmith.evals.tasks.task import Answer, Entity
from worksmith.tools.files.data_files import read_toml

_NAME = regex.compile(r"\p{Lu}[\w'-]*(?: \p{Lu}[\w'-]*)+")
_CAPITAL = regex.compile(r"(?<=[\w,:] )\p{Lu}[\w'-]+")
_CODE = re.compile(r"\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{12,}\b")
_PART = re.compile(r"[^;\n]+")
_PERSON = "person"
_NOTHING = re.compile(r"\b(?:no|none|nothing)\b[^.;]{0,40}\b(?:found|there|exists?|match(?:es)?|on record)\b")
_LONGEST_PART = 8
"""Words of a part of a list that can be a value."""

_VALUES = frozenset({"id", "email", "date", "month", "number", "time"})
"""Kinds of values that a sentence states as facts."""

_TRACEABLE = frozenset({"id", "email", "date"})
"""Kinds of values that are read or made up, never computed."""


@dataclass(frozen=True)
class ResponseFacts:
    """The facts of a response.

    Attributes:
        required: the number of facts that it must name.
        missing: the required facts that it does not name.
        false: values that are wrong or do not belong there.
    """

    required: int
    missing: tuple[str, ...] = ()
    false: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the required facts that the response names."""
        return 1 - len(self.missing) / self.required if self.required else 1.0


def with_facts(answer: Answer) -> Answer:
    """The answer with values to name; those of its reference if it has no values."""
    if answer.required or answer.kind != "entities":
        return answer
    text = plain(answer.reference)
    found = [
        (token.start, token.end, token.kind) for token in tokens(answer.reference) if token.kind in _VALUES
    ]
    taken = [(start, end) for start, end, _ in found]
    names = [
        (start, end, _PERSON)
        for start, end in _names_in(text)
        if not any(first < end and start < last for first, last in taken)
    ]
    entities = {text[start:end].strip(): kind for start, end, kind in (*found, *names)}
    required = tuple(Entity(type=kind, value=value) for value, kind in entities.items())
    return answer.model_copy(update={"required": required})


def facts_in(
    response: str, answer: Answer, question: str, *, known: str = "", evidence: Sequence[str] = ()
) -> ResponseFacts:
    """The facts of a response, against the values that `answer` requires.

    Args:
        known: further texts of the task, which may be repeated.
        evidence: the observations of the agent; empty if they are not known.
    """
    reading = _CheckedResponse(response, answer, f"{question}\n{known}", tuple(evidence))
    return ResponseFacts(len(answer.required), reading.missing, tuple(dict.fromkeys(reading.false())))


class _CheckedResponse:
    """A response read against an answer."""

    def __init__(self, response: str, answer: Answer, stated: str, evidence: tuple[str, ...]) -> None:
        self.text = plain(response)
        self.said = tokens(response)
        self.answer, self.evidence = answer, evidence
        self.stated = tokens(stated)
        found = {entity: self._places(entity) for entity in answer.required}
        self.missing = tuple(entity.value for entity in answer.required if not found[entity])
        self.spans = [span for spans in found.values() for span in spans]
        values = [form for entity in answer.required for form in (entity.value, *entity.alias)]
        self.given = (*self.stated, *tokens("\n".join((answer.reference, *values))))
        self.people = any(entity.type == _PERSON for entity in answer.required)

    def false(self) -> Iterator[str]:
        """The false statements."""
        for token in self.said:
            if self._taken(token.start, token.end) or any(same(token, other) for other in self.stated):
                continue
            if any(alike(token, each) for each in self.answer.required) or self._made_up(token):
                yield token.value
        for start, end in (*self._names(), *self._parts(), *_spans(_CODE, self.text)):
            if not self._taken(start, end) and not self._known(self.text[start:end]):
                yield self.text[start:end].strip()
        yield from self._other_values()

    def _places(self, entity: Entity) -> list[tuple[int, int]]:
        """The places of a fact in the text: first character and the one after the last."""
        if _CODE.fullmatch(entity.value):
            # Ids without an inner order are right to the letter; some systems leave out the last three.
            return _spans(re.compile(rf"\b{entity.value[:15]}(?:{entity.value[15:]})?\b"), self.text)
        places = entity_places(self.said, entity)
        return [(self.said[start].start, self.said[end - 1].end) for start, end in places]

    def _taken(self, start: int, end: int) -> bool:
        """Whether a span overlaps a fact."""
        return any(first < end and start < last for first, last in self.spans)

    def _made_up(self, token: Token) -> bool:
        """Whether a traceable value is in nothing that the agent was shown."""
        if token.kind not in _TRACEABLE or not self.evidence:
            return False
        shown = (*self.evidence, self.answer.reference)
        return not any(same(token, other) for text in shown for other in tokens(text))

    def _names(self) -> Iterator[tuple[int, int]]:
        """Names of several words; names of one word too, where a fact of one word is missing."""
        yield from _names_in(self.text)
        single = any(_is_word(entity) and entity.value in self.missing for entity in self.answer.required)
        for start, end in _spans(_CAPITAL, self.text) if single else ():
            if self.text[start:end].lower() not in _plain_words():
                yield start, end

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Parts of a list that look like values."""
        parts = _spans(_PART, self.text)
        for start, end in parts if len(parts) > 1 else ():
            words = [token.value for token in tokens(self.text[start:end])]
            if 0 < len(words) <= _LONGEST_PART and not any(word in _plain_words() for word in words):
                yield start, end

    def _known(self, text: str) -> bool:
        """Whether each of its words stands in what the task or its answer says, or it was shown as it is.

        What was shown does not count where people are asked for, or a fact is missing: what stands in its
        place was most likely shown as well.
        """
        words = tokens(text)
        if all(any(same(word, other) for other in self.given) for word in words):
            return True
        if self.people or self.missing:
            return False
        return any(places(tokens(shown), words) for shown in self.evidence)

    def _other_values(self) -> Iterator[str]:
        """Values beside the right ones, of types that a task kind reads from texts."""
        for name, read in value_readers().items():
            asked = [entity for entity in self.answer.required if entity.type == name]
            if asked:
                right = {value for entity in asked for value in read(entity.value)}
                yield from sorted(read(self.text) - right)


def says_denied(text: str) -> bool:
    return bool(_denied().search(" ".join(plain(text).lower().split())))


def says_nothing(text: str) -> bool:
    """Whether a text reports that there is nothing."""
    return nothing.says_nothing(text) or bool(_NOTHING.search(" ".join(plain(text).lower().split())))


def words_in(text: str) -> int:
    return len(text.split())


def _names_in(text: str) -> Iterator[tuple[int, int]]:
    """Names of several words."""
    for match in _NAME.finditer(text):
        words = list(re.finditer(r"\S+", match[0]))
        while words and words[0][0].lower() in _plain_words():
            words.pop(0)
        while words and words[-1][0].lower() in _plain_words():
            words.pop()
        if len(words) > 1:
            yield match.start() + words[0].start(), match.start() + words[-1].end()


def _is_word(entity: Entity) -> bool:
    return entity.type == "text" and len(entity.value.split()) == 1


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


@cache
def _plain_words() -> frozenset[str]:
    return frozenset(_data()["plain"])


@cache
def _denied() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, _data()['denied']))})\b")


@cache
def _data() -> dict[str, Any]:
    return read_toml("worksmith.evals.judging", "phrases.toml")
