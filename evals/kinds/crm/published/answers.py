"""The answers of published questions, checked as far as that goes without the org that they are about."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from evals.kinds.crm.answers import named
from evals.kinds.crm.published.entries import ABSENT
from evals.kinds.crm.published.recognise import Reading
from evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES
from evals.tasks.task import Answer, Entity
from tools.kinds.crm.functions.moments import MONTHS
from tools.kinds.enterprise.importing.cells import Number, plain

_NOTHING = frozenset({"", "none", "null", "n/a"})
_MOST_LETTERS = 5000


class AnswerError(ValueError):
    """A published answer is not what its kind of question asks for."""


def read_answer(published: Any, family: str) -> Answer:
    """A published answer as a task has it."""
    texts = _texts(published)
    if family == KNOWLEDGE_QA:
        if len(texts) != 1:
            raise AnswerError("there is no sentence to compare with")
        return Answer(kind="entities", required=(Entity(type="text", value=texts[0]),), reference=texts[0])
    if not texts:
        return Answer(kind="none")
    return Answer(kind="entities", required=tuple(_entity(text, family) for text in texts))


def _texts(published: Any) -> list[str]:
    """The values of an answer; empty if it says that there is nothing."""
    if published is ABSENT:
        raise AnswerError("there is no answer to compare with")
    values = published if isinstance(published, list) else [published]
    texts = []
    for value in values:
        if value is not None and (not isinstance(value, str) or isinstance(value, Number)):
            raise AnswerError("the answer is no text")
        text = (plain(value) or "").strip()
        if len(text) > _MOST_LETTERS:
            raise AnswerError(f"the answer has {len(text)} characters")
        if text.lower() not in _NOTHING:
            texts.append(text)
    if texts and len(texts) < len(values):
        raise AnswerError("the answer has values and says that there is none")
    return list(dict.fromkeys(texts))


def _entity(text: str, family: str) -> Entity:
    kind = TASK_TYPES[family].asks
    values = named(text, kind)
    if len(values) != 1:
        raise AnswerError(f"the answer {text[:40]!r} is no {kind.replace('_', ' ')}")
    # A month's own spelling is the published one, which the published metric compares with.
    return Entity(type=kind, value=text if kind == "month" else next(iter(values)))


def doubts(reading: Reading, family: str, answer: Answer, today: date | None) -> Iterator[tuple[str, str]]:
    """What is odd about a question with its answer: a kind of doubt, and a sentence."""
    period = reading.period
    if period is None or period.start is None or period.end is None:
        return
    if today is not None and not period.relative:
        if period.start >= today:
            yield "future_period", "the period lies wholly after today"
        elif period.end > today:
            yield "future_period", "the period goes on after today"
    if family == "monthly_trend_analysis" and answer.required:
        months = set(_months(period.start, period.end))
        for entity in answer.required:
            if entity.value not in months:
                yield "month_outside", f"the answer {entity.value} lies outside the period"


def _months(start: date, end: date) -> Iterator[str]:
    first, last = start.year * 12 + start.month, end.year * 12 + end.month
    # A period that ends with the first of a month ends with the beginning of that day.
    for month in range(first, min(last if end.day > 1 else last - 1, first + 11) + 1):
        yield MONTHS[(month - 1) % 12]
