"""Figures of episode records: scores with intervals, failure rates, costs."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from evals.records.judge_figures import JudgeFigures, judging_of
from evals.records.record import PRIMARY, RATES, STRICT, EpisodeRecord
from evals.statistics import NOTHING, Interval, macro_mean, mean, pass_at, pass_hat, quantile


@dataclass(frozen=True)
class Rate:
    """A count of episodes.

    Attributes:
        of: the number of graded episodes in which it could happen.
        interval: of the share.
    """

    count: int
    of: int
    interval: Interval


@dataclass(frozen=True)
class Summary:
    """The figures of one set of episodes.

    Attributes:
        graded: the number of episodes that count in the scores: all but infrastructure failures.
        scores: the mean of each score over graded episodes with its interval (n = tasks); `outcome_strict`
            is `outcome` with infrastructure failures counted as wrong.
        macro: the mean over fields of work (area, domain or task type) of the outcome's mean in each; nothing
            if all tasks are of one field.
        rates: leaks and over-refusals, where tasks can have them; part of no other score.
        statuses: the number of episodes by status.
        pass_hat: the chance that k attempts at a task all succeed, by k; only with several trials.
        pass_at: the chance that at least one of k attempts succeeds.
        means: of `COSTS` and `PAID_COSTS` over graded episodes.
        totals: of the same over all episodes, with the paid costs of episodes that a budget cut short.
        estimated: the number of episodes with estimated tokens.
        uncounted: the number of episodes with requests that nobody counted. If there are any, `means` and
            `totals` lack requests and tokens, which are unknown.
        seconds_p95: the 95th percentile of the episodes' durations.
        judging: figures and cost of each judge.
    """

    episodes: int
    tasks: int
    graded: int
    scores: dict[str, Interval]
    statuses: dict[str, int]
    macro: Interval = NOTHING
    rates: dict[str, Rate] = field(default_factory=dict)
    pass_hat: dict[int, Interval] = field(default_factory=dict)
    pass_at: dict[int, Interval] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    estimated: int = 0
    uncounted: int = 0
    seconds_p95: float = math.nan
    judging: tuple[JudgeFigures, ...] = ()

    @property
    def error_rate(self) -> float:
        """The share of episodes lost to the infrastructure."""
        return 1 - self.graded / self.episodes if self.episodes else 0.0

    @property
    def cached_share(self) -> float:
        """The share of the used prompt tokens that providers read from their caches."""
        prompt = self.totals.get("prompt_tokens")
        return self.totals.get("cached_tokens", 0.0) / prompt if prompt else 0.0

    @property
    def errors(self) -> int:
        """The number of episodes lost to the infrastructure."""
        return self.episodes - self.graded

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON-able data; missing ones are null."""
        return {
            "episodes": self.episodes,
            "tasks": self.tasks,
            "graded": self.graded,
            "errors": self.errors,
            "error_rate": self.error_rate,
            "scores": {name: interval_json(value) for name, value in self.scores.items()},
            **({} if math.isnan(self.macro.value) else {"macro": interval_json(self.macro)}),
            **(
                {"rates": {name: _rate_json(rate) for name, rate in self.rates.items()}} if self.rates else {}
            ),
            "statuses": self.statuses,
            "pass_hat": {str(k): interval_json(value) for k, value in self.pass_hat.items()},
            "pass_at": {str(k): interval_json(value) for k, value in self.pass_at.items()},
            "means": self.means,
            "totals": self.totals,
            **({"cached_share": round(self.cached_share, 4)} if self.cached_share else {}),
            "estimated_episodes": self.estimated,
            **({"uncounted_episodes": self.uncounted} if self.uncounted else {}),
            "seconds_p95": None if math.isnan(self.seconds_p95) else self.seconds_p95,
            **({"judging": [each.to_json() for each in self.judging]} if self.judging else {}),
        }


COSTS: dict[str, Callable[[EpisodeRecord], float]] = {
    "steps": lambda record: record.steps,
    "model_calls": lambda record: record.model_calls,
    "prompt_tokens": lambda record: record.prompt_tokens,
    "completion_tokens": lambda record: record.completion_tokens,
    "used_tokens": lambda record: record.usage.used_tokens,
    "seconds": lambda record: record.seconds,
}
"""Costs of an episode, by name, whether or not a cache answers."""

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

_ALL_COSTS = COSTS | PAID_COSTS | CACHE_COSTS


def summarize(
    records: Sequence[EpisodeRecord], *, seed: int = 0, cut_short: Sequence[EpisodeRecord] = ()
) -> Summary:
    """The figures of `records`, whose order does not matter.

    Args:
        cut_short: episodes that a budget ended; what was paid for them counts in the totals.
    """
    columns = _Columns()
    for record in _in_order(records):
        columns.add(record)
    alike = columns.alike
    scores = {
        name: mean(values, alike, seed=seed, key=name) for name, values in sorted(columns.scores.items())
    }
    if PRIMARY in scores or columns.graded < len(records):
        scores[STRICT] = mean(columns.strict, alike)
    attempts = columns.scores.get(PRIMARY, {})
    counts, fields = _attempts(attempts), columns.fields
    paid = {
        name: math.fsum((*columns.costs[name], *map(cost, cut_short))) for name, cost in PAID_COSTS.items()
    }
    return Summary(
        episodes=len(records),
        tasks=len(columns.intents),
        graded=columns.graded,
        scores=scores,
        macro=macro_mean([fields[name] for name in sorted(fields)], alike) if len(fields) > 1 else NOTHING,
        statuses=dict(sorted(columns.statuses.items())),
        rates={
            name: Rate(sum(value > 0 for value in values), len(values), scores[name])
            for name in RATES
            if (values := [value for each in columns.scores.get(name, {}).values() for value in each])
        },
        pass_hat={k: pass_hat(attempts, k, alike) for k in counts},
        pass_at={k: pass_at(attempts, k, alike) for k in counts},
        means={name: total / columns.graded for name, total in columns.totals(graded=True).items()}
        if columns.graded
        else {},
        totals=columns.totals() | columns.known(paid),
        estimated=columns.estimated,
        uncounted=columns.uncounted,
        seconds_p95=quantile(columns.costs["seconds"], 0.95),
        judging=judging_of(records, alike) if columns.judged else (),
    )


def _in_order(records: Sequence[EpisodeRecord]) -> Iterator[EpisodeRecord]:
    """The records by task and trial, one after another: they may lie in a log."""
    places = sorted((record.task_id, record.trial, record.key, place) for place, record in enumerate(records))
    return (records[place] for *_, place in places)


class _Columns:
    """The numbers of many records, without the records.

    Attributes:
        scores: of graded records, by name and task.
        strict: outcomes by task, 0 for lost episodes.
        fields: outcomes by field of work and task.
        costs: of all records, by name.
    """

    def __init__(self) -> None:
        self.scores: dict[str, dict[Hashable, list[float]]] = {}
        self.strict: dict[Hashable, list[float]] = {}
        self.fields: dict[str, dict[Hashable, list[float]]] = {}
        self.costs = {name: array("d") for name in _ALL_COSTS}
        self.intents: dict[Hashable, Hashable] = {}
        self.statuses: Counter[str] = Counter()
        self.graded = self.estimated = self.uncounted = 0
        self.uncounted_graded = self.judged = self.closed_intents = False
        self._grades = bytearray()

    def add(self, record: EpisodeRecord) -> None:
        task = record.task_id
        if not record.labels.words_only:
            self.strict.setdefault(task, []).append(record.scores.get(PRIMARY, 0.0))
        if record.graded:
            self.graded += 1
            self.uncounted_graded |= record.uncounted
            for name, value in record.scores.items():
                self.scores.setdefault(name, {}).setdefault(task, []).append(value)
            if PRIMARY in record.scores:
                of_field = self.fields.setdefault(field_of(record), {})
                of_field.setdefault(task, []).append(record.scores[PRIMARY])
        for name, cost in _ALL_COSTS.items():
            self.costs[name].append(cost(record))
        self._grades.append(record.graded)
        self.intents[task] = intent_or_task(record.intent, task)
        self.closed_intents |= record.labels.closed_intents
        self.statuses[record.status] += 1
        self.estimated += record.estimated
        self.uncounted += record.uncounted
        self.judged |= bool(record.judgements)

    @property
    def alike(self) -> dict[Hashable, Hashable] | None:
        """See `intents_of`."""
        return None if self.closed_intents else _telling(self.intents)

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


def by_task(records: Iterable[EpisodeRecord], score: str) -> dict[Hashable, list[float]]:
    """The values of a score, grouped by task; records without it are left out.

    `outcome_strict` is every record's `outcome`, 0 where there is none; tasks that only a judge scores have
    no value.
    """
    grouped: dict[Hashable, list[float]] = {}
    for record in records:
        if score == STRICT:
            if record.labels.words_only:
                continue
            grouped.setdefault(record.task_id, []).append(record.scores.get(PRIMARY, 0.0))
        elif record.graded and score in record.scores:
            grouped.setdefault(record.task_id, []).append(record.scores[score])
    return grouped


FEWEST_INTENTS = 5
"""The fewest intents whose spread can widen an interval."""


def intent_or_task(intent: str | None, task_id: str) -> tuple[str, str]:
    """The group of a task: its intent, or the task alone."""
    return ("intent", intent) if intent else ("task", task_id)


def intents_of(records: Iterable[EpisodeRecord]) -> dict[Hashable, Hashable] | None:
    """The intent of each task; None if grouping by intent says nothing.

    That is so if no two tasks share an intent, if there are fewer than `FEWEST_INTENTS`, and if the intents
    are no sample of others, as the task types of a published list.
    """
    intents: dict[Hashable, Hashable] = {}
    for record in records:
        if record.labels.closed_intents:
            return None
        intents[record.task_id] = intent_or_task(record.intent, record.task_id)
    return _telling(intents)


def _telling(intents: dict[Hashable, Hashable]) -> dict[Hashable, Hashable] | None:
    """The intents of tasks, if grouping by them says something."""
    distinct = len(set(intents.values()))
    return intents if FEWEST_INTENTS <= distinct < len(intents) else None


def group_records(
    records: Iterable[EpisodeRecord], facet: Callable[[EpisodeRecord], str]
) -> dict[str, list[EpisodeRecord]]:
    """Records by a facet, in its order."""
    groups: dict[str, list[EpisodeRecord]] = {}
    for record in records:
        groups.setdefault(facet(record), []).append(record)
    return dict(sorted(groups.items()))


def domain_of(record: EpisodeRecord) -> str:
    """The one domain of a task, `several` or `none`."""
    return record.domains[0] if len(record.domains) == 1 else "several" if record.domains else "none"


def field_of(record: EpisodeRecord) -> str:
    """The field of work of a task, as its kind says; else its domain."""
    return record.labels.field or domain_of(record)


def actions_of(record: EpisodeRecord) -> str:
    """The number of writing calls that the task expects, grouped as in the paper."""
    return "2 or more" if record.expected_actions > 1 else str(record.expected_actions)


def interval_json(interval: Interval) -> dict[str, Any]:
    """An interval as JSON-able data; without data its bounds are null."""
    empty = math.isnan(interval.value)
    return {
        "value": None if empty else interval.value,
        "low": None if empty else interval.low,
        "high": None if empty else interval.high,
        "n": interval.n,
        **({"groups": interval.groups} if interval.groups else {}),
    }


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {"count": rate.count, "of": rate.of, **interval_json(rate.interval)}


def _attempts(attempts: Mapping[Hashable, Sequence[float]]) -> range:
    """The numbers of attempts with a known chance; none with one trial."""
    most = max((len(values) for values in attempts.values()), default=0)
    return range(1, most + 1 if most > 1 else 1)
