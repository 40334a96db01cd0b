"""Whether a program is worse than it was: its episodes against those of a recorded baseline."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from worksmith.evals.records.groups import grouped
from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.records.record_numbers import COSTS
from worksmith.evals.scoring.constraints import Constraint
from worksmith.evals.statistics import Interval, differences, exchange_test, holm, paired_difference

ALPHA = 0.05
"""The most chance that a program fails that is the one of the baseline."""

_FOR_OUTCOME = 0.8
"""The part of it that is for the outcome; the rest is for all constraints that are tested."""

OUTCOME = Constraint(PRIMARY, ">=", 1)


@dataclass(frozen=True)
class Criterion:
    """The outcome or a constraint of a program against its baseline.

    Attributes:
        before, now: the means over the tasks of both.
        difference: of these, paired by task.
        p: of the test whether it is worse, adjusted for all that are tested; None without a test.
        worse: whether it is significantly worse.
    """

    constraint: Constraint
    before: float
    now: float
    difference: Interval
    p: float | None
    worse: bool

    @property
    def name(self) -> str:
        return PRIMARY if self.constraint is OUTCOME else str(self.constraint)

    @property
    def blind(self) -> bool:
        """Whether the tasks are too few for any loss to be beyond doubt."""
        return self.p is not None and 0.5**self.difference.n > ALPHA


def compared(
    now: Sequence[EpisodeRecord],
    before: Sequence[EpisodeRecord],
    constraints: Iterable[Constraint] = (),
    *,
    alpha: float = ALPHA,
) -> list[Criterion]:
    """The outcome and each constraint of a program against its baseline, on the tasks of both.

    The outcome, in which lost episodes are wrong, is worse if the exchange test by task shows so: it is about
    these tasks, and of an unchanged program only chance makes two runs differ, in each task by itself. A
    constraint is worse if the program breaks its bound and the same test shows it for its metric. A bound of
    0 or 1 that the baseline kept is broken by a single episode, so nothing is tested.

    Args:
        alpha: the most chance that an unchanged program fails by a test.
    """
    found = list[Criterion]()
    for constraint in (OUTCOME, *constraints):
        ours, theirs = (values(records, constraint) for records in (now, before))
        shared = differences(ours, theirs)
        if not shared:
            continue  # no episode has a value
        before_mean, now_mean = _mean(theirs, shared), _mean(ours, shared)
        broken = not constraint.within(now_mean)
        lead = math.fsum(shared.values()) * (1 if constraint.relation == ">=" else -1)
        p: float | None = exchange_test(shared) / 2 if lead < 0 else 1.0  # of one side
        if constraint is not OUTCOME and constraint.metric not in COSTS and constraint.bound in (0, 1):
            p, broken = None, broken and constraint.within(before_mean)
        gap = paired_difference(ours, theirs)
        found.append(Criterion(constraint, before_mean, now_mean, gap, p, broken))
    bounds = [each.p for each in found if each.p is not None and each.constraint is not OUTCOME]
    share = _FOR_OUTCOME if bounds else 1.0
    adjusted = iter(holm(bounds))
    for place, each in enumerate(found):
        if each.p is None:
            continue
        p = each.p / share if each.constraint is OUTCOME else next(adjusted) / (1 - share)
        found[place] = replace(each, p=min(1.0, p), worse=each.worse and p <= alpha)
    return found


def values(records: Iterable[EpisodeRecord], constraint: Constraint) -> dict[Hashable, list[float]]:
    """The values of a constraint's metric by task; episodes without one are left out."""
    found = ((record.task_id, constraint.of(record)) for record in records)
    return grouped((task, value) for task, value in found if value is not None)


def _mean(values: dict[Hashable, list[float]], tasks: Iterable[Hashable]) -> float:
    means = [math.fsum(values[task]) / len(values[task]) for task in tasks]
    return math.fsum(means) / len(means)
