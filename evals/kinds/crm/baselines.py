"""What can be scored in a CRM without any model: three guessers that open no record, and a ceiling.

Where a share of the questions has no answer, saying so always is worth that share; where few answers are
given often, so is the most frequent one. The guessers learn from the train split alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from worksmith.evals.kinds.crm.answers import NONE
from worksmith.evals.kinds.crm.scorer import expected_text
from worksmith.evals.scoring.baselines import Attempt, Baseline

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode import Episode

_WORD = re.compile(r"\w+")


def always_none(task: Task, episode: Episode) -> tuple[str, str]:
    """Answers that there is nothing, to any question."""
    return _said(NONE)


def most_frequent(train: Sequence[Task]) -> Attempt:
    """Gives the most frequent answer to other questions of the same kind; of several, the first by name."""
    answers: dict[str | None, Counter[str]] = defaultdict(Counter)
    for task in train:
        answers[task.intent][expected_text(task)] += 1
    best = {intent: min(counts, key=lambda text: (-counts[text], text)) for intent, counts in answers.items()}
    return lambda task, _: _said(best.get(task.intent, NONE))


def keyword_only(train: Sequence[Task]) -> Attempt:
    """Gives the answer that the words of the question go with in other questions of the same kind.

    A naive Bayes classifier over words: that shirts are the business of one agent, or that there is mostly
    no answer to questions about weeks, can be known without records.
    """
    by_intent: dict[str | None, list[Task]] = defaultdict(list)
    for task in train:
        by_intent[task.intent].append(task)
    rules = {intent: _Words(tasks) for intent, tasks in by_intent.items()}

    def attempt(task: Task, episode: Episode) -> tuple[str, str]:
        rule = rules.get(task.intent)
        return _said(rule.answer(task.query) if rule else NONE)

    return attempt


def oracle(task: Task, episode: Episode) -> tuple[str, str]:
    """Makes the calls of the gold plan and gives the expected answer."""
    for step in task.gold_plan or ():
        episode.call(step.tool, dict(step.arguments))
    return _said(expected_text(task))


BASELINES: Mapping[str, Baseline] = {
    "always_none": Baseline.of(always_none),
    "most_frequent": Baseline(most_frequent, learns=True),
    "keyword_only": Baseline(keyword_only, learns=True),
    "oracle": Baseline.of(oracle),
}


class _Words:
    """Which answer goes with which words (with one added to each count)."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._answers = Counter(expected_text(task) for task in tasks)
        self._counts: dict[str, Counter[str]] = {answer: Counter() for answer in self._answers}
        for task in tasks:
            self._counts[expected_text(task)].update(_words(task.query))
        self._vocabulary = frozenset(word for counts in self._counts.values() for word in counts)

    def answer(self, question: str) -> str:
        known = sorted(_words(question) & self._vocabulary)
        return min(self._answers, key=lambda answer: (-self._log_chance(answer, known), answer))

    def _log_chance(self, answer: str, words: Sequence[str]) -> float:
        counts = self._counts[answer]
        size = counts.total() + len(self._vocabulary)
        return math.log(self._answers[answer]) + math.fsum(
            math.log((counts[word] + 1) / size) for word in words
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _said(answer: str) -> tuple[str, str]:
    return ("not_found" if answer == NONE else "answered"), answer
