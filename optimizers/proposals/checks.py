"""Checks of proposed texts: their length, forbidden words, pinned texts, and values of records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worksmith.evals.scoring.answers.matching import disclosed
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.demos.redaction import around, leaves, public_words
from worksmith.optimizers.proposals.material import keeps_secrets
from worksmith.optimizers.proposals.source import Standing
from worksmith.retrievers.texts.words import words

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment

LONGEST = 4_000
"""Characters of a proposed text."""

_LONGEST_VALUE = 6
"""The most words of a value; longer texts may not repeat any run of this many words."""

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|(?<![\w.])(-?\d[\d.,:-]*\w*)')
_NO_VALUES = frozenset({"None", "True", "False"})
_NAME = re.compile(r"\b[^\W\d_]*\d\w*|\b[^\W\d_]\w+")


@dataclass(frozen=True)
class Checks:
    """Values that a proposed text may not contain, and texts that may not change.

    Attributes:
        env: whose records a text, which every persona reads, must not quote unless all may read them.
        forbidden: words, or several in a row. Those of the program's own texts are allowed there.
        pinned: the names of predictors and tools whose texts are the user's.
    """

    env: Environment
    forbidden: tuple[str, ...] = ()
    pinned: frozenset[str] = frozenset()

    def fresh(self, found: Iterable[Candidate], standing: Standing) -> Iterator[Candidate]:
        """The candidates that change something, are neither tried nor repeated, and whose texts may stand."""
        own = standing.own_instructions
        values = _hidden(self.env, standing, own.values()) if keeps_secrets(self.env) else frozenset()
        known = {Candidate().digest, *(each.digest for each in standing.tried.values())}
        for each in found:
            allowed = (self._allows(name, text, own.get(name, ""), values) for name, text in _texts(each))
            if each.digest not in known and all(allowed):
                known.add(each.digest)
                yield each

    def _allows(self, name: str, text: str, own: str, values: frozenset[str]) -> bool:
        if name in self.pinned or len(text) > max(LONGEST, len(own)):
            return False
        return (_runs(text) - _runs(own)).isdisjoint(values) and not disclosed(text, self.forbidden, own)


def _texts(candidate: Candidate) -> Iterator[tuple[str, str]]:
    yield from candidate.instructions.items()
    for name, told in candidate.tools.items():
        yield from ((name, text) for text in (told.description, *told.arguments.values()) if text)


def _runs(text: str) -> set[str]:
    """All runs of up to `_LONGEST_VALUE` words."""
    said = words(text)
    return {
        " ".join(said[start : start + size])
        for size in range(1, _LONGEST_VALUE + 1)
        for start in range(len(said) - size + 1)
    }


def _hidden(env: Environment, standing: Standing, own: Iterable[str]) -> frozenset[str]:
    """Runs of words by which the tasks and the episodes at hand could be recognised.

    The words of authors of tools, house rules, phrasings and instructions are no secret.
    """
    phrasings = [around(task.query, task.slots.values()) for task in standing.tasks.values() if task.slots]
    public = public_words(env) | {word for text in (*own, *phrasings) for word in words(text)}
    values = {value for task in standing.tasks.values() for value in _of_task(task)}
    for records in standing.records.values():
        for record in records:
            for call in record.calls:
                values.update(leaves(call.arguments))
                found = [text or number for text, number in _QUOTED.findall(call.observation)]
                values.update(found or [call.observation])
            for change in (*record.changes, *record.expected_changes):
                values.update(leaves([list(change.before.values()), list(change.after.values())]))
    runs = (run for value in values for run in _telling(value))
    return frozenset(run for run in runs if not public.issuperset(run.split()))


def _of_task(task: Task) -> Iterator[str]:
    yield from task.slots.values()
    plans = (task.gold_plan or (), *task.other_plans, task.expected, *task.alternatives)
    yield from leaves([list(step.arguments.values()) for plan in plans for step in plan])
    if task.answer:
        yield from task.answer.forbidden
        yield from (text for each in task.answer.required for text in (each.value, *each.alias))


def _telling(value: str) -> Iterator[str]:
    """The runs of words that reveal a value: all of it, its names, its numbers; of a long one all runs."""
    said = words(value) if value not in _NO_VALUES else []
    if len(said) > _LONGEST_VALUE:
        yield from (" ".join(said[at : at + _LONGEST_VALUE]) for at in range(len(said) - _LONGEST_VALUE + 1))
        return
    if len(said) > 1:
        yield " ".join(said)
    for name in _NAME.findall(value):
        figures = len(name) > 2 and any(map(str.isdigit, name))
        if figures or (said and name[0] != name[0].lower()):
            yield from words(name)
