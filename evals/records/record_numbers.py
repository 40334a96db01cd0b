"""The numbers of many records, without the records, and the names of their costs."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import compress

from worksmith.evals.records.groups import field_of, intent_or_task, telling
from worksmith.evals.records.record import PRIMARY, EpisodeRecord

COSTS: dict[str, Callable[[EpisodeRecord], float]] = {
    "steps": lambda record: record.steps,
    "model_calls": lambda record: record.model_calls,
    "prompt_tokens": lambda record: record.prompt_tokens,
    "completion_tokens": lambda record: record.completion_tokens,
    "used_tokens": lambda record: record.usage.used_tokens,
    "seconds": lambda record: record.seconds,
}
"""Costs of an episode, by name, with or without a cache."""

NOT_ASKED = ("steps", "seconds")
"""Costs that do not come from models."""

PAID_COSTS: dict[str, Callable[[EpisodeRecord], float]] = {
    "paid_requests": lambda record: record.paid_requests,
    "paid_tokens": lambda record: record.usage.paid_tokens,
}
"""Paid costs of an episode, which are 0 where a cache answers."""

CACHE_COSTS: dict[str, Callable[[EpisodeRecord], float]] = {
    "cached_tokens": lambda record: record.cached_tokens,
    "cache_write_tokens": lambda record: record.cache_write_tokens,
    "paid_cached_tokens": lambda record: record.paid_cached_tokens,
}
"""Prompt tokens that went through a provider's cache, see `Tokens`; left out where nothing reports any."""

_ALL = COSTS | PAID_COSTS | CACHE_COSTS


class Columns:
    """The numbers of many records.

    Attributes:
        scores: of graded records, by name and task.
        strict: outcomes by task, 0 for lost episodes.
        fields: outcomes by field of work and task.
        costs: of all records, by name.
        readings: the number of replies by the leniencies by which they were read, and of unreadable ones.
    """

    def __init__(self) -> None:
        self.scores: dict[str, dict[Hashable, list[float]]] = {}
        self.strict: dict[Hashable, list[float]] = {}
        self.fields: dict[str, dict[Hashable, list[float]]] = {}
        self.costs = {name: array("d") for name in _ALL}
        self.intents: dict[Hashable, Hashable] = {}
        self.graded_tasks: set[Hashable] = set()
        self.statuses: Counter[str] = Counter()
        self.readings: Counter[str] = Counter()
        self.graded = self.estimated = self.uncounted = 0
        self.uncounted_graded = self.judged = self.closed_intents = False
        self._grades = bytearray()

    def add(self, record: EpisodeRecord) -> None:
        task = record.task_id
        if not record.labels.words_only:
            self.strict.setdefault(task, []).append(record.scores.get(PRIMARY, 0.0))
        if record.graded:
            self.graded += 1
            self.graded_tasks.add(task)
            self.uncounted_graded |= record.uncounted
            for name, value in record.scores.items():
                self.scores.setdefault(name, {}).setdefault(task, []).append(value)
            if PRIMARY in record.scores:
                of_field = self.fields.setdefault(field_of(record), {})
                of_field.setdefault(task, []).append(record.scores[PRIMARY])
        for name, cost in _ALL.items():
            self.costs[name].append(cost(record))
        self._grades.append(record.graded)
        self.intents[task] = intent_or_task(record.intent, task)
        self.closed_intents |= record.labels.closed_intents
        self.statuses[record.status] += 1
        for ask in record.asks:
            self.readings.update(ask.reading.split(", ") if ask.reading else ())
        self.estimated += record.estimated
        self.uncounted += record.uncounted
        self.judged |= bool(record.judgements)

    @property
    def alike(self) -> dict[Hashable, Hashable] | None:
        """See `worksmith.evals.records.groups.intents_of`."""
        return None if self.closed_intents else telling(self.intents)

    def totals(self, *, graded: bool = False) -> dict[str, float]:
        """The sums of costs over all records, or the graded ones; of the cache's only where there are any."""
        chosen = {
            name: list(compress(values, self._grades)) if graded else values
            for name, values in self.costs.items()
        }
        sums = {
            name: math.fsum(values)
            for name, values in chosen.items()
            if name not in CACHE_COSTS or any(values)
        }
        return self.known(sums, graded=graded)

    def known(self, totals: dict[str, float], *, graded: bool = False) -> dict[str, float]:
        """The totals without requests and tokens where some were not counted."""
        if not (self.uncounted_graded if graded else self.uncounted):
            return totals
        return {name: total for name, total in totals.items() if name in NOT_ASKED}
