"""Matching an answer with its required values, without a model.

An answer is either a list (`open; 2022-03-04`), of which every part counts, or running text, in which the
required values may be anywhere. Any other value of the same kind is wrong, so that naming everything does not
pass for an answer.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import regex  # type: ignore[import-untyped]

from worksmith.evals.scoring.answers.values import Token, places, plain, same, says, tokens
from worksmith.evals.tasks.task import Entity

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
    )
}
_LISTED = re.compile(r"[;\n]")
_PIECES = re.compile(r"[;\n,]|\band\b|\bor\b")
_NAME = regex.compile(r"\p{Lu}[\w'.-]+(?: \p{Lu}[\w'.-]+){1,2}")
_PERSON = "person"
_LONGEST_PART, _LONGEST_ALONE = 12, 6
"""Words of a part of a list, and of a value that stands alone; more are running text."""

_TYPED = frozenset({"date", "month", "number", "id", "email"})


@dataclass(frozen=True, slots=True)
class Finding:
    """The values of an answer against the required ones.

    Attributes:
        required: the number of required values.
        missing: required values that it does not name.
        extras: wrong values of the same kinds.
    """

    required: int
    missing: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()

    @property
    def matched(self) -> int:
        return self.required - len(self.missing)

    @property
    def recall(self) -> float:
        return self.matched / self.required if self.required else 1.0

    @property
    def precision(self) -> float:
        """The share of named values that are required; 0 without one."""
        return self.matched / (self.matched + len(self.extras)) if self.matched else 0.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def exact(self) -> bool:
        """Whether all required values and no others of their kinds are named."""
        return not self.missing and not self.extras


def find_values(answer: str, required: Sequence[Entity], question: str = "") -> Finding:
    """Look `required` values up in `answer`.

    Args:
        question: its values are not wrong in running text.
    """
    said = tokens(answer)
    found = {entity: entity_places(said, entity) for entity in required}
    covered = {n for spans in found.values() for start, end in spans for n in range(start, end)}
    missing = tuple(entity.value for entity in required if not found[entity])
    return Finding(len(required), missing, tuple(_extras(answer, said, covered, required, question)))


def names_nothing(answer: str, question: str = "") -> bool:
    """Whether an answer names no value except the question's."""
    asked = tokens(question)
    return all(
        token.kind not in _TYPED or token.value == "0" or _among(token, asked) for token in tokens(answer)
    )


def disclosed(text: str, forbidden: Iterable[str], question: str = "") -> tuple[str, ...]:
    """The forbidden values in the text, except the question's."""
    return tuple(value for value in forbidden if says(text, value) and not says(question, value))


def entity_places(said: Sequence[Token], entity: Entity) -> list[tuple[int, int]]:
    """The places of a value in any of its forms: first index and the one after the last."""
    forms = {form for text in (entity.value, *entity.alias) for form in _forms(entity.type, text)}
    return [span for form in sorted(forms) for span in places(said, form)]


def _forms(kind: str, text: str) -> list[tuple[Token, ...]]:
    """The forms of a value that `tokens` does not make equal."""
    value = tokens(text)
    forms = [value]
    if kind == _PERSON and len(value) > 1:
        forms.append((value[-1], *value[:-1]))
    if kind != "text" and value and value[0].kind == "number" and len(value) <= 2:
        # A unit may be left out, and a small number be written as a word.
        forms.append(value[:1])
        words = [word for word, number in _NUMBERS.items() if number == value[0].value]
        forms.extend((Token("word", word, 0, 0),) for word in words)
    return forms


def _extras(
    answer: str, said: Sequence[Token], covered: set[int], required: Sequence[Entity], question: str
) -> list[str]:
    starts = [token.start for token in said]
    parts = [part for part in _spans(_LISTED, answer) if _inside(starts, part)]
    longest = _LONGEST_PART if len(parts) > 1 else _LONGEST_ALONE
    listed = all(len(_inside(starts, part)) <= longest for part in parts)
    asked = () if listed else tokens(question)
    extras = {
        n: token.value
        for n, token in enumerate(said)
        if n not in covered and not _among(token, asked) and any(alike(token, e) for e in required)
    }
    found = list(extras.values())
    if listed:
        whole = parts if len(parts) > 1 else []
        people = _people(answer) if any(entity.type == _PERSON for entity in required) else []
        taken = covered | set(extras)
        for part in dict.fromkeys([*whole, *people]):
            inside = _inside(starts, part)
            if inside and taken.isdisjoint(inside):
                taken.update(inside)
                found.append(plain(answer)[slice(*part)].strip())
    return found


def _spans(separator: re.Pattern[str], answer: str) -> list[tuple[int, int]]:
    text = plain(answer)
    cuts = [match.span() for match in separator.finditer(text)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return list(zip(starts, ends, strict=True))


def _people(answer: str) -> list[tuple[int, int]]:
    text = plain(answer)
    return [span for span in _spans(_PIECES, answer) if _NAME.fullmatch(text[slice(*span)].strip())]


def _inside(starts: Sequence[int], span: tuple[int, int]) -> range:
    """The tokens that start within a span."""
    return range(bisect_left(starts, span[0]), bisect_left(starts, span[1]))


def _among(token: Token, others: Iterable[Token]) -> bool:
    return any(same(token, other) for other in others)


def alike(token: Token, entity: Entity) -> bool:
    """Whether a token looks like another value of the entity's kind."""
    value = tokens(entity.value)
    if not value:
        return False
    first = value[0]
    if token.kind == "word":
        return len(value) == 1 and any({token.value, first.value} <= words for words in _vocabularies())
    if token.kind != first.kind or len(value) > 2 or token.kind not in _TYPED:
        return False
    if token.kind == "id":
        return token.value.split("-")[0] == first.value.split("-")[0]
    if token.kind == "number" and entity.type.endswith("id"):
        return len(token.value) == len(first.value)
    return True


@cache
def _vocabularies() -> tuple[frozenset[str], ...]:
    """Sets of words of which one is meant; naming two of them is naming a wrong one."""
    data = json.loads(Path(__file__).with_name("vocabularies.json").read_text(encoding="utf-8"))
    return tuple(frozenset(words) for words in data)
