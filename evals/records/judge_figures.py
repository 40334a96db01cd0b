"""Figures of judges on a set of episodes: scores, passes, failed verdicts, and the cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.groups import grouped
from worksmith.evals.statistics import Interval, mean
from worksmith.tools.episode_result import Usage

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord


@dataclass(frozen=True)
class JudgeFigures:
    """The figures of one judge.

    Attributes:
        score: the mean of its scores, 0 to 1, without failed verdicts.
        statuses: the number of verdicts by status; all but `ok` are in no mean.
        usage, seconds: the cost of judging.
    """

    judge: str
    rubrics: tuple[str, ...]
    score: Interval
    passed: Interval
    statuses: dict[str, int]
    usage: Usage
    seconds: float

    @property
    def verdicts(self) -> int:
        return sum(self.statuses.values())

    @property
    def failed(self) -> int:
        return self.verdicts - self.statuses.get("ok", 0)

    def to_json(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "rubrics": list(self.rubrics),
            "score": _json(self.score),
            "passed": _json(self.passed),
            "verdicts": self.verdicts,
            "failed": self.failed,
            "statuses": self.statuses,
            **asdict(self.usage),
            "used_tokens": self.usage.used_tokens,
            "paid_tokens": self.usage.paid_tokens,
            "seconds": round(self.seconds, 4),
        }


def judging_of(
    records: Iterable[EpisodeRecord], alike: Mapping[Hashable, Hashable] | None = None
) -> tuple[JudgeFigures, ...]:
    """The figures of each judge, in the order in which they were asked.

    Args:
        alike: which tasks belong together, see `worksmith.evals.records.groups.intents_of`.
    """
    ordered = sorted(records, key=lambda record: (record.task_id, record.trial, record.key))
    found = grouped((each.judge, (record, each)) for record in ordered for each in record.judgements)
    return tuple(_figures(judge, verdicts, alike) for judge, verdicts in found.items())


def _figures(
    judge: str,
    verdicts: Sequence[tuple[EpisodeRecord, Judgement]],
    alike: Mapping[Hashable, Hashable] | None,
) -> JudgeFigures:
    scores: dict[Hashable, list[float]] = {}
    passed: dict[Hashable, list[float]] = {}
    for record, verdict in verdicts:
        if verdict.status == "ok" and verdict.score is not None:
            scores.setdefault(record.task_id, []).append(verdict.score)
            passed.setdefault(record.task_id, []).append(float(bool(verdict.passed)))
    return JudgeFigures(
        judge=judge,
        rubrics=tuple(dict.fromkeys(verdict.rubric for _, verdict in verdicts if verdict.rubric)),
        score=mean(scores, alike),
        passed=mean(passed, alike),
        statuses=dict(sorted(Counter(verdict.status for _, verdict in verdicts).items())),
        usage=sum((verdict.usage for _, verdict in verdicts), start=Usage()),
        seconds=math.fsum(verdict.seconds for _, verdict in verdicts),
    )


def _json(interval: Interval) -> dict[str, Any]:
    empty = math.isnan(interval.value)
    value, low, high = (None if empty else x for x in interval[:3])
    return {"value": value, "low": low, "high": high, "n": interval.n}
