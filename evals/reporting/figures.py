"""Every figure of a report as data, with the conditions that select its episodes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from worksmith.evals.records.groups import group_records, grouped, intents_of
from worksmith.evals.records.record import PRIMARY, RATES, STRICT, EpisodeRecord
from worksmith.evals.records.record_numbers import COSTS, PAID_COSTS
from worksmith.evals.records.summary import Summary, summarize
from worksmith.evals.reporting.episodes import FIELDS, facet_names, field_value
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Row, Study
from worksmith.evals.statistics import Interval, mean, pass_hat

STATUS, FAULT, PASS_HAT, DIFFERENCE = "status/", "fault/", "pass_hat_", "outcome_difference"
"""Prefixes of metric names."""

ERROR_RATE = "error_rate"

_BROKEN_DOWN = (PRIMARY, "unwanted_side_effects", *RATES)
_COSTS = COSTS | PAID_COSTS


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        metric: a score, a cost (mean an episode), `error_rate`, `status/NAME` and `fault/NAME` (shares), or
            `pass_hat_K`; `outcome_difference` is of `outcome_strict`, paired by task with
            `reference`.
        where: values of fields that its episodes share.
        interval: its value and 95 % interval; bounds are nan for a figure without an interval. n = tasks.
    """

    arm: str
    metric: str
    split: str
    interval: Interval
    episodes: int
    where: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""

    def command(self, run: str = "RUN") -> str:
        """The command that lists the episodes behind the figure; `run` names the runs, quoted for a shell."""
        parts = ["--arm", self.arm]
        parts += ["--arm", self.reference] if self.reference else []
        for name, value in self.where.items():
            parts += ["--where", f"{name}={value}"]
        parts += ["--metric", STRICT if self.reference else self.metric]
        return f"worksmith episodes {run} {shlex.join(parts)}"

    def to_json(self, run: str = "RUN") -> dict[str, Any]:
        """The figure as JSON-able data; null stands for nan."""
        value, low, high = (None if math.isnan(x) else x for x in self.interval[:3])
        return {
            "arm": self.arm,
            "metric": self.metric,
            "split": self.split,
            "where": dict(self.where),
            **({"reference": self.reference} if self.reference else {}),
            "value": value,
            "low": low,
            "high": high,
            "n": self.interval.n,
            "episodes": self.episodes,
            "trace": self.command(run),
        }


def study_figures(study: Study, split: str) -> list[Figure]:
    found = [figure for row in study.rows for figure in result_figures(row.arm.label, row.result, split)]
    first = study.rows[0].arm.label
    compared = (row for row in study.rows if row.against_first)
    return found + [_difference(row, first, split) for row in compared]


def result_figures(label: str, result: EvalResult, split: str) -> list[Figure]:
    """The figures of one program, over all its episodes and by each facet."""
    records = result.records
    figures = list(_whole(label, result.summary, records, split))
    for facet in ("domain", "actions", *facet_names(records), "intent"):
        groups = {k: v for k, v in group_records(records, partial(field_value, name=facet)).items() if k}
        if len(groups) < 2:
            continue
        for value, group in groups.items():
            figures += _part(label, group, {facet: value}, result.seed, split)
    typed = [record for record in records if record.facet("area") and record.facet("type")]
    for group in group_records(
        typed, lambda record: f"{record.facet('area')}\0{record.facet('type')}"
    ).values():
        where = {name: group[0].facet(name) for name in ("area", "type")}
        figures += _part(label, group, where, result.seed, split)
    return figures


def metric_values(records: Sequence[EpisodeRecord], metric: str) -> list[tuple[EpisodeRecord, float]]:
    """The episodes that count in a figure, each with its value: a score, a cost, or 1.0 for a hit.

    For `pass_hat_K` the value is the outcome.
    """
    value_of = _value_of(PRIMARY if metric.startswith(PASS_HAT) else metric)
    found = ((record, value_of(record)) for record in records)
    return [(record, value) for record, value in found if value is not None]


def metric_mean(records: Sequence[EpisodeRecord], metric: str) -> float | None:
    """The mean of a metric over episodes, for `pass_hat_K` the chance; None without any value."""
    found = metric_values(records, metric)
    if metric.startswith(PASS_HAT):
        chance = pass_hat(_clusters(found), int(metric.removeprefix(PASS_HAT))).value
        return None if math.isnan(chance) else chance
    return math.fsum(value for _, value in found) / len(found) if found else None


def _value_of(metric: str) -> Callable[[EpisodeRecord], float | None]:
    """The value of a metric in an episode; None if the episode does not count."""
    if metric == ERROR_RATE:
        return lambda record: float(not record.graded)
    if metric == STRICT:
        return lambda record: record.scores.get(PRIMARY, 0.0)
    if metric.startswith(STATUS):
        status = metric.removeprefix(STATUS)
        return lambda record: float(record.status == status)
    if metric in _COSTS:
        cost = _COSTS[metric]
        return lambda record: float(cost(record)) if record.graded else None
    if metric.startswith(FAULT):
        kind = metric.removeprefix(FAULT)
        return lambda record: float(FIELDS["fault"](record) == kind) if record.graded else None
    return lambda record: record.scores.get(metric) if record.graded else None


def _clusters(found: Iterable[tuple[EpisodeRecord, float]]) -> dict[Hashable, list[float]]:
    """Values by task."""
    return grouped((record.task_id, value) for record, value in found)


def _whole(label: str, summary: Summary, records: Sequence[EpisodeRecord], split: str) -> Iterator[Figure]:
    def figure(metric: str, interval: Interval, episodes: int = summary.episodes) -> Figure:
        return Figure(label, metric, split, interval, episodes)

    for name, score in summary.scores.items():
        yield figure(name, score, len(metric_values(records, name)))
    yield figure(ERROR_RATE, _share(records, ERROR_RATE))
    for k, chance in summary.pass_hat.items():
        yield figure(f"{PASS_HAT}{k}", chance, summary.graded)
    for name, value in summary.means.items():
        yield figure(name, Interval(value, math.nan, math.nan, summary.tasks), summary.graded)
    for status in summary.statuses:
        yield figure(STATUS + status, _share(records, STATUS + status))
    for kind in _faults(records):
        yield figure(FAULT + kind, _share(records, FAULT + kind), summary.graded)


def _part(
    label: str, records: Sequence[EpisodeRecord], where: Mapping[str, str], seed: int, split: str
) -> Iterator[Figure]:
    summary = summarize(records, seed=seed)
    for name in _BROKEN_DOWN:
        if name in summary.scores:
            count = len(metric_values(records, name))
            yield Figure(label, name, split, summary.scores[name], count, where)
    yield Figure(label, ERROR_RATE, split, _share(records, ERROR_RATE), len(records), where)
    for kind in _faults(records):
        yield Figure(label, FAULT + kind, split, _share(records, FAULT + kind), summary.graded, where)


def _faults(records: Sequence[EpisodeRecord]) -> list[str]:
    return sorted({FIELDS["fault"](record) for record in records if record.graded} - {""})


def _share(records: Sequence[EpisodeRecord], metric: str) -> Interval:
    return mean(_clusters(metric_values(records, metric)), intents_of(records), key=metric)


def _difference(row: Row, first: str, split: str) -> Figure:
    assert row.against_first is not None
    found, episodes = row.against_first.difference, row.summary.episodes
    return Figure(row.arm.label, DIFFERENCE, split, found, episodes, reference=first)
