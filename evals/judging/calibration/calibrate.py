"""Measuring a judge on labelled cases: agreement, consistency, biases, and controls that must fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from worksmith.evals.judging.calibration.agreement import (
    clustered,
    confusion,
    kappa_of,
    spearman,
    spearman_of,
)
from worksmith.evals.judging.calibration.labels import Case, pairs_of
from worksmith.evals.judging.facts import words_in
from worksmith.evals.judging.rubric import PASSING
from worksmith.evals.records.entries import Judgement
from worksmith.evals.records.groups import grouped
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.records.summary import interval_json
from worksmith.evals.running.asked_judges import Judge, ask_judge
from worksmith.evals.running.workers import Workers
from worksmith.evals.statistics import Interval, wilson
from worksmith.evals.tasks.task import Task
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InfrastructureError
from worksmith.tools.seeding import rng
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    from worksmith.evals.judging.rubric_judge import PairVerdict


Comparing = Callable[[Task, EpisodeRecord, EpisodeRecord], "PairVerdict"]
"""A judge of pairs: the verdict on two episodes of a task, asked in both orders."""


@dataclass(frozen=True)
class Effort:
    """The size of a calibration.

    Attributes:
        repeats: the number of times that each of the `repeated` cases is judged again.
        shuffled: cases judged with the response to another request.
        compared: pairs compared in both orders, where a judge of pairs is there.
    """

    repeats: int = 1
    repeated: int = 40
    shuffled: int = 40
    compared: int = 40

    def calls(self, cases: Sequence[Case], *, compares: bool) -> int:
        """The number of verdicts it takes, each at least one question to a model."""
        again = min(self.repeated, len(cases)) * self.repeats
        pairs = 2 * min(self.compared, len(_unequal(cases))) if compares else 0
        return len(cases) + again + len(_shuffled(cases, self.shuffled, 0)) + pairs


@dataclass(frozen=True)
class Calibration:
    """The measures of a judge.

    Attributes:
        measures: by the names of thresholds; those that do not apply are left out.
        confusion: rows are the labels' levels, columns the judge's.
        by_fault: mean level and number of cases of each planted fault.
        failed: failed verdicts by status.
        usage: tokens and calls of all verdicts.
    """

    cases: int
    measures: dict[str, float]
    intervals: dict[str, Interval]
    confusion: list[list[int]]
    by_fault: dict[str, tuple[float, int]]
    failed: dict[str, int]
    usage: Usage

    def to_json(self) -> dict[str, Any]:
        """The calibration as JSON-able data; null stands for nan."""
        return {
            "cases": self.cases,
            "measures": {k: None if math.isnan(v) else v for k, v in self.measures.items()},
            "intervals": {name: interval_json(interval) for name, interval in self.intervals.items()},
            "confusion": self.confusion,
            "by_fault": {name: {"mean_level": mean, "n": n} for name, (mean, n) in self.by_fault.items()},
            "failed": self.failed,
            "used_tokens": self.usage.used_tokens,
            "paid_tokens": self.usage.paid_tokens,
        }


def calibrate(
    judge: Judge,
    cases: Sequence[Case],
    *,
    again: Judge | None = None,
    comparing: Comparing | None = None,
    effort: Effort | None = None,
    workers: int = 8,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Measure `judge` on labelled cases.

    Args:
        cases: labelled cases; cases of one group answer one request.
        again: the same judge without any cache, for its consistency; default is `judge` itself.
        comparing: the same model as a judge of pairs, for its bias to the first response.
        workers: verdicts in flight.
        seed: decides which cases are repeated, shuffled and compared.
        on_progress: called with the number of verdicts so far, and of all.

    Returns:
        Agreement, consistency and biases, each by name; intervals are 95 %.

    Raises:
        InfrastructureError: the judge's model never answered, which says nothing about the judge.
    """
    effort = effort or Effort()
    repeated = rng(seed, "repeats").sample(list(cases), min(effort.repeated, len(cases)))
    shuffled = _shuffled(cases, effort.shuffled, seed)
    pairs = _unequal(cases)
    compared = rng(seed, "pairs").sample(pairs, min(effort.compared, len(pairs))) if comparing else []
    asked = [(judge, case) for case in cases]
    asked += [(again or judge, case) for case in repeated * effort.repeats]
    asked += [(judge, case) for case in shuffled]
    jobs: list[Callable[[], Any]] = [partial(ask_judge, by, case.task, case.record) for by, case in asked]
    if comparing:
        jobs += [partial(comparing, a.task, a.record, b.record) for a, b in compared]
    results = _run(jobs, workers, on_progress)
    verdicts, second = results[: len(cases)], results[len(cases) : len(asked) - len(shuffled)]
    wrong, choices = results[len(asked) - len(shuffled) : len(asked)], results[len(asked) :]
    if verdicts and all(verdict.status in INFRASTRUCTURE for verdict in verdicts):
        why = verdicts[0].feedback.partition("\n")[0]
        raise InfrastructureError(f"{judge.name} gave no verdict, so nothing was measured: {why}")
    return _Measured(cases, verdicts, seed).calibration(
        repeated * effort.repeats, second, wrong, choices, every=[*verdicts, *second, *wrong]
    )


def order_kept(ours: Sequence[int], theirs: Sequence[int], groups: Sequence[str]) -> tuple[int, int]:
    """The number of pairs within a group in the labels' order, and the number of all such pairs.

    Equal labels are in order if the levels are equal.
    """
    places = grouped((group, place) for place, group in enumerate(groups))
    pairs = [pair for members in places.values() for pair in combinations(members, 2)]
    kept = sum(_sign(ours[a] - ours[b]) == _sign(theirs[a] - theirs[b]) for a, b in pairs)
    return kept, len(pairs)


class _Measured:
    def __init__(self, cases: Sequence[Case], verdicts: Sequence[Judgement], seed: int) -> None:
        both = [(case, v) for case, v in zip(cases, verdicts, strict=True) if v.level is not None]
        self.cases = [case for case, _ in both]
        self.ours = [verdict.level or 0 for _, verdict in both]
        self.theirs = [case.level for case in self.cases]
        self.groups = [case.group for case in self.cases]
        self.by_id = {case.id: verdict.level for case, verdict in both}
        self.seed = seed

    def calibration(
        self,
        repeated: Sequence[Case],
        second: Sequence[Judgement],
        wrong: Sequence[Judgement],
        choices: Sequence[PairVerdict],
        *,
        every: Sequence[Judgement],
    ) -> Calibration:
        intervals = {
            name: clustered(measure, self.ours, self.theirs, self.groups, seed=self.seed)
            for name, measure in (("kappa", kappa_of), ("spearman", spearman_of))
        }
        kept, pairs = order_kept(self.ours, self.theirs, self.groups)
        same = [
            self.by_id[case.id] == verdict.level
            for case, verdict in zip(repeated, second, strict=True)
            if case.id in self.by_id and verdict.level is not None
        ]
        passed = [verdict.level >= PASSING for verdict in wrong if verdict.level is not None]
        shares = {"pairs": (kept, pairs), "self_consistency": (sum(same), len(same))}
        shares["shuffled_passes"] = (sum(passed), len(passed))
        lost = [verdict.status for verdict in every if verdict.level is None]
        shares["failed"] = (len(lost), len(every))
        intervals |= {name: wilson(hits, n) for name, (hits, n) in shares.items() if n}
        measures = {name: interval.value for name, interval in intervals.items()}
        measures["kappa_low"] = intervals["kappa"].low
        measures["kappa_above_always_5"] = measures["kappa"] - _or_zero(
            kappa_of(confusion([5] * len(self.theirs), self.theirs))
        )
        measures["length_bias"] = _or_zero(abs(self._length_bias()))
        measures |= _position(choices)
        took: list[Judgement | PairVerdict] = [*every, *choices]
        return Calibration(
            cases=len(self.cases),
            measures=measures,
            intervals=intervals,
            confusion=confusion(self.ours, self.theirs).tolist(),
            by_fault=self._by_fault(),
            failed={status: lost.count(status) for status in sorted(set(lost))},
            usage=sum((asked.usage for asked in took), start=Usage()),
        )

    def _length_bias(self) -> float:
        """The rank correlation of a response's length with the levels it gets too many."""
        too_much = [given - right for given, right in zip(self.ours, self.theirs, strict=True)]
        return spearman([words_in(case.record.answer) for case in self.cases], too_much)

    def _by_fault(self) -> dict[str, tuple[float, int]]:
        levels = zip(self.cases, self.ours, strict=True)
        found = grouped((case.fault, level) for case, level in levels if case.fault)
        return {name: (sum(levels) / len(levels), len(levels)) for name, levels in sorted(found.items())}


def _position(choices: Iterable[PairVerdict]) -> dict[str, float]:
    """The bias to the first response, over the comparisons that were decided."""
    said = [choice for verdict in choices for choice in (verdict.forward, verdict.backward)]
    decided = sum(choice in ("A", "B") for choice in said)
    first = sum(verdict.first_shown for verdict in choices)
    return {"position_bias": abs(first / decided - 0.5)} if decided else {}


def _run(
    jobs: Sequence[Callable[[], Any]], workers: int, on_progress: Callable[[int, int], None] | None
) -> list[Any]:
    results: dict[int, Any] = {}

    def keep(job: tuple[int, Callable[[], Any]], result: Any) -> None:
        results[job[0]] = result
        if on_progress:
            on_progress(len(results), len(jobs))

    pool: Workers[tuple[int, Callable[[], Any]], Any] = Workers(
        lambda job: job[1](), workers=workers, on_result=keep
    )
    pool.run(enumerate(jobs), len(jobs))
    return [results[place] for place in range(len(jobs))]


def _shuffled(cases: Sequence[Case], most: int, seed: int) -> list[Case]:
    """Right responses, each under another request for something else: every one is wrong there.

    Refusals and findings of nothing are left out, since those are right in many places.
    """
    right = [case for case in cases if case.level == 5 and _says_something(case.task)]
    firsts = list({case.group: case for case in reversed(right)}.values())
    rng(seed, "shuffled").shuffle(firsts)
    moved = zip(firsts, firsts[1:] + firsts[:1], strict=True) if len(firsts) > 1 else ()
    return [_with_response(case, other) for case, other in moved if _facts(case) != _facts(other)][:most]


def _with_response(case: Case, other: Case) -> Case:
    given = {name: getattr(other.record, name) for name in ("answer", "answer_status", "calls", "changes")}
    wanted = case.record.expected_changes or case.record.changes
    record = case.record.model_copy(update={**given, "expected_changes": wanted})
    return Case(f"{case.id}/shuffled", case.group, case.task, record, 1, "shuffled")


def _says_something(task: Task) -> bool:
    return task.answer is None or task.answer.kind in ("entities", "done")


def _facts(case: Case) -> Any:
    answer = case.task.answer
    return (answer.required if answer else None, case.record.changes, answer.reference if answer else "")


def _unequal(cases: Sequence[Case]) -> list[tuple[Case, Case]]:
    return [(a, b) for a, b in pairs_of(cases) if a.level != b.level]


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
