"""Figures of episode records: scores with intervals, failure rates, costs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worksmith.evals.records.judge_figures import JudgeFigures, judging_of
from worksmith.evals.records.record import PRIMARY, RATES, STRICT, EpisodeRecord
from worksmith.evals.records.record_numbers import PAID_COSTS, Columns
from worksmith.evals.statistics import NOTHING, Interval, macro_mean, mean, pass_at, pass_hat, quantile


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
        graded_tasks: the number of tasks with such an episode.
        scores: the mean of each score over graded episodes with its interval (n = tasks); `outcome_strict`
            is `outcome` with infrastructure failures counted as wrong.
        macro: the mean over fields of work (area, domain or task type) of the outcome's mean in each; nothing
            if all tasks are of one field.
        rates: leaks and over-refusals, where tasks can have them; part of no other score.
        pass_hat: the chance that k attempts at a task all succeed, by k; only with several trials.
        pass_at: the chance that at least one of k attempts succeeds.
        means: of `COSTS` and `PAID_COSTS` over graded episodes.
        totals: of the same over all episodes, with the paid costs of episodes that a budget cut short.
        estimated: the number of episodes with estimated tokens.
        uncounted: the number of episodes with uncounted requests. If there are any, `means` and
            `totals` lack requests and tokens, which are unknown.
        readings: the number of unreadable replies, and of those read leniently, by leniency.
        seconds_p95: the 95th percentile of the episodes' durations.
    """

    episodes: int
    tasks: int
    graded: int
    graded_tasks: int
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
    readings: dict[str, int] = field(default_factory=dict)
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
        return self.episodes - self.graded

    def to_json(self) -> dict[str, Any]:
        rates = {
            name: {"count": rate.count, "of": rate.of, **interval_json(rate.interval)}
            for name, rate in self.rates.items()
        }
        return {
            "episodes": self.episodes,
            "tasks": self.tasks,
            "graded": self.graded,
            "graded_tasks": self.graded_tasks,
            "errors": self.errors,
            "error_rate": self.error_rate,
            "scores": {name: interval_json(value) for name, value in self.scores.items()},
            **({} if math.isnan(self.macro.value) else {"macro": interval_json(self.macro)}),
            **({"rates": rates} if rates else {}),
            "statuses": self.statuses,
            "pass_hat": {str(k): interval_json(value) for k, value in self.pass_hat.items()},
            "pass_at": {str(k): interval_json(value) for k, value in self.pass_at.items()},
            "means": self.means,
            "totals": self.totals,
            **({"cached_share": round(self.cached_share, 4)} if self.cached_share else {}),
            "estimated_episodes": self.estimated,
            **({"uncounted_episodes": self.uncounted} if self.uncounted else {}),
            **({"readings": self.readings} if self.readings else {}),
            "seconds_p95": None if math.isnan(self.seconds_p95) else self.seconds_p95,
            **({"judging": [each.to_json() for each in self.judging]} if self.judging else {}),
        }


def summarize(
    records: Sequence[EpisodeRecord], *, seed: int = 0, cut_short: Sequence[EpisodeRecord] = ()
) -> Summary:
    """The figures of `records`, whose order does not matter.

    Args:
        cut_short: episodes that a budget ended; their payments count in the totals.
    """
    columns = Columns()
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
        graded_tasks=len(columns.graded_tasks),
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
        readings=dict(sorted(columns.readings.items())),
        seconds_p95=quantile(columns.costs["seconds"], 0.95),
        judging=judging_of(records, alike) if columns.judged else (),
    )


def on_tasks(*summaries: Summary) -> str:
    """The tasks of a headline, with how many of them count in it: `114 tasks, 112 graded`."""
    tasks, counts = summaries[0].tasks, sorted({each.graded_tasks for each in summaries})
    lossy = min(summaries, key=lambda each: each.graded)
    if not any(each.errors for each in summaries):
        return f"{tasks} tasks"
    if counts == [tasks]:
        return f"{tasks} tasks, {lossy.graded} of {lossy.episodes} episodes graded"
    return f"{tasks} tasks, {' to '.join(map(str, counts[:: max(1, len(counts) - 1)]))} graded"


def _in_order(records: Sequence[EpisodeRecord]) -> Iterator[EpisodeRecord]:
    """The records by task and trial, one after another: they may lie in a log."""
    places = sorted((record.task_id, record.trial, record.key, place) for place, record in enumerate(records))
    return (records[place] for *_, place in places)


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


def _attempts(attempts: Mapping[Hashable, Sequence[float]]) -> range:
    """The numbers of attempts with a known chance; empty with one trial."""
    most = max((len(values) for values in attempts.values()), default=0)
    return range(1, most + 1 if most > 1 else 1)
