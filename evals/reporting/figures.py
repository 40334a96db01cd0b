"""Every figure of a report as data, with what selects the episodes behind it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.records.record import PRIMARY, RATES, STRICT, EpisodeRecord
from evals.records.summary import (
    COSTS,
    PAID_COSTS,
    Summary,
    actions_of,
    domain_of,
    group_records,
    intents_of,
    summarize,
)
from evals.running.runner import EvalResult
from evals.running.study import Row, Study
from evals.statistics import Interval, mean, pass_hat

FIELDS: Mapping[str, Callable[[EpisodeRecord], str]] = {
    "domain": domain_of,
    "actions": actions_of,
    "area": lambda record: record.area,
    "type": lambda record: record.type,
    "difficulty": lambda record: record.difficulty,
    "department": lambda record: record.department,
    "level": lambda record: "" if record.level is None else f"{record.level:02}",
    "intent": lambda record: record.intent or "",
    "status": lambda record: record.status,
    "fault": lambda record: record.fault.kind if record.fault else "",
    "task": lambda record: record.task_id,
    "trial": lambda record: str(record.trial),
}
"""By what episodes can be selected."""

FACETS = ("domain", "actions", "area", "type", "difficulty", "department", "level", "intent")
"""By what figures are broken down, where a facet has several values."""

STATUS, FAULT, PASS_HAT, DIFFERENCE = "status/", "fault/", "pass_hat_", "outcome_difference"
"""How the names of some metrics begin."""

ERROR_RATE = "error_rate"

_BROKEN_DOWN = (PRIMARY, "unwanted_side_effects", *RATES)


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        arm: the program's label.
        metric: a score, a cost (mean an episode), `error_rate`, `status/NAME` and `fault/NAME` (shares), or
            `pass_hat_K`; `outcome_difference` is of `outcome_strict`, paired by task with
            `reference`.
        where: what its episodes have in common besides.
        interval: its value and 95 % interval; bounds are nan where a figure has none. n = tasks.
        episodes: how many are behind it.
    """

    arm: str
    metric: str
    split: str
    interval: Interval
    episodes: int
    where: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""

    def command(self, run: str = "RUN") -> str:
        """What lists the episodes behind the figure; `run` is what names the runs, quoted as need be."""
        parts = ["--arm", self.arm]
        parts += ["--arm", self.reference] if self.reference else []
        for name, value in self.where.items():
            parts += ["--where", f"{name}={value}"]
        parts += ["--metric", STRICT if self.reference else self.metric]
        return f"worksmith episodes {run} {shlex.join(parts)}"

    def to_json(self, run: str = "RUN") -> dict[str, Any]:
        """As JSON-able data; what cannot be computed is null."""
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
    """The figures of all arms of a study."""
    found = [figure for row in study.rows for figure in result_figures(row.arm.label, row.result, split)]
    first = study.rows[0].arm.label
    compared = (row for row in study.rows if row.against_first)
    return found + [_difference(row, first, split) for row in compared]


def result_figures(label: str, result: EvalResult, split: str) -> list[Figure]:
    """The figures of one program, over all its episodes and by each facet."""
    records = result.records
    figures = list(_whole(label, result.summary, records, split))
    for facet in FACETS:
        groups = {k: v for k, v in group_records(records, FIELDS[facet]).items() if k}
        if len(groups) < 2:
            continue
        for value, group in groups.items():
            figures += _part(label, group, {facet: value}, result.seed, split)
    for (area, kind), group in _areas_and_types(records).items():
        figures += _part(label, group, {"area": area, "type": kind}, result.seed, split)
    return figures


def metric_values(records: Sequence[EpisodeRecord], metric: str) -> list[tuple[EpisodeRecord, float]]:
    """The episodes that count in a figure, each with what it adds to it.

    That is the score, the cost, or whether the episode is one of those counted; for `pass_hat_K` it is
    the outcome.
    """
    name = PRIMARY if metric.startswith(PASS_HAT) else metric
    found = ((record, _value(record, name)) for record in records)
    return [(record, value) for record, value in found if value is not None]


def metric_mean(records: Sequence[EpisodeRecord], metric: str) -> float | None:
    """The figure that these episodes give: the mean of their values; None without any."""
    found = metric_values(records, metric)
    if metric.startswith(PASS_HAT):
        attempts: dict[Hashable, list[float]] = {}
        for record, value in found:
            attempts.setdefault(record.task_id, []).append(value)
        chance = pass_hat(attempts, int(metric.removeprefix(PASS_HAT))).value
        return None if math.isnan(chance) else chance
    return math.fsum(value for _, value in found) / len(found) if found else None


def _value(record: EpisodeRecord, metric: str) -> float | None:
    if metric == ERROR_RATE:
        return float(not record.graded)
    if metric == STRICT:
        return record.scores.get(PRIMARY, 0.0)
    if metric.startswith(STATUS):
        return float(record.status == metric.removeprefix(STATUS))
    if not record.graded:
        return None
    costs = COSTS | PAID_COSTS
    if metric in costs:
        return float(costs[metric](record))
    if metric.startswith(FAULT):
        return float(FIELDS["fault"](record) == metric.removeprefix(FAULT))
    return record.scores.get(metric)


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
    for kind in sorted({FIELDS["fault"](record) for record in records if record.graded} - {""}):
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
    for kind in sorted({FIELDS["fault"](record) for record in records if record.graded} - {""}):
        yield Figure(label, FAULT + kind, split, _share(records, FAULT + kind), summary.graded, where)


def _share(records: Sequence[EpisodeRecord], metric: str) -> Interval:
    clusters: dict[Hashable, list[float]] = {}
    for record, value in metric_values(records, metric):
        clusters.setdefault(record.task_id, []).append(value)
    return mean(clusters, intents_of(records), key=metric)


def _areas_and_types(records: Sequence[EpisodeRecord]) -> dict[tuple[str, str], list[EpisodeRecord]]:
    groups: dict[tuple[str, str], list[EpisodeRecord]] = {}
    for record in records:
        if record.area and record.type:
            groups.setdefault((record.area, record.type), []).append(record)
    return dict(sorted(groups.items()))


def _difference(row: Row, first: str, split: str) -> Figure:
    assert row.against_first is not None
    found, episodes = row.against_first.difference, row.summary.episodes
    return Figure(row.arm.label, DIFFERENCE, split, found, episodes, reference=first)
