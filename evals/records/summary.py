"""Figures of episode records: scores with intervals, failure rates, costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


def summarize(
    records: Sequence[EpisodeRecord], *, seed: int = 0, cut_short: Sequence[EpisodeRecord] = ()
) -> Summary:
    """The figures of `records`, whose order does not matter.

    Args:
        cut_short: episodes that a budget ended; what was paid for them counts in the totals.
    """
    records = sorted(records, key=lambda record: (record.task_id, record.trial, record.key))
    graded = [record for record in records if record.graded]
    names = sorted({name for record in graded for name in record.scores})
    alike = intents_of(records)
    scores = {name: mean(by_task(graded, name), alike, seed=seed, key=name) for name in names}
    if PRIMARY in scores or len(graded) < len(records):
        scores[STRICT] = mean(by_task(records, STRICT), alike)
    attempts = by_task(graded, PRIMARY)
    counts = _attempts(attempts)
    return Summary(
        episodes=len(records),
        tasks=len({record.task_id for record in records}),
        graded=len(graded),
        scores=scores,
        macro=_macro(graded, alike),
        statuses=dict(sorted(Counter(record.status for record in records).items())),
        rates=_rates(graded, scores),
        pass_hat={k: pass_hat(attempts, k, alike) for k in counts},
        pass_at={k: pass_at(attempts, k, alike) for k in counts},
        means={name: total / len(graded) for name, total in _totals(graded).items()} if graded else {},
        totals=_totals(records)
        | _known(
            {name: math.fsum(map(cost, [*records, *cut_short])) for name, cost in PAID_COSTS.items()}, records
        ),
        estimated=sum(record.estimated for record in records),
        uncounted=sum(record.uncounted for record in records),
        seconds_p95=quantile((record.seconds for record in records), 0.95),
        judging=judging_of(records, alike),
    )


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


def _macro(graded: Sequence[EpisodeRecord], alike: Mapping[Hashable, Hashable] | None) -> Interval:
    fields = group_records(graded, field_of)
    parts = [values for group in fields.values() if (values := by_task(group, PRIMARY))]
    return macro_mean(parts, alike) if len(parts) > 1 else NOTHING


def _totals(records: Sequence[EpisodeRecord]) -> dict[str, float]:
    through_cache = {name: cost for name, cost in CACHE_COSTS.items() if any(map(cost, records))}
    costs = COSTS | PAID_COSTS | through_cache
    return _known({name: math.fsum(map(cost, records)) for name, cost in costs.items()}, records)


def _known(totals: dict[str, float], records: Sequence[EpisodeRecord]) -> dict[str, float]:
    """The totals without requests and tokens where some were not counted."""
    if not any(record.uncounted for record in records):
        return totals
    return {name: total for name, total in totals.items() if name in NOT_ASKED}


def _rates(graded: Sequence[EpisodeRecord], scores: dict[str, Interval]) -> dict[str, Rate]:
    found = {name: [r.scores[name] for r in graded if name in r.scores] for name in RATES}
    return {
        name: Rate(sum(value > 0 for value in values), len(values), scores[name])
        for name, values in found.items()
        if values
    }


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {"count": rate.count, "of": rate.of, **interval_json(rate.interval)}


def _attempts(attempts: Mapping[Hashable, Sequence[float]]) -> range:
    """The numbers of attempts with a known chance; none with one trial."""
    most = max((len(values) for values in attempts.values()), default=0)
    return range(1, most + 1 if most > 1 else 1)
