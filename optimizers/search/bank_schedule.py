"""A bank that grows: the teacher is asked for more only once the smaller bank has shown what it is worth."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from optimizers.demos.trace_bank import TraceBank, collect
from retrievers.ranking.lexical import LexicalIndex

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from optimizers.job import Job

_SHARES = (4, 2, 1)
"""By what the number of training tasks is divided, from the smallest bank to the whole one."""


def sizes(job: Job) -> list[int]:
    """How many training tasks the bank is drawn from in each round.

    The smallest has twice as many as a prompt shows, and no round is without a candidate. A bank that was
    given is there at once.
    """
    total = len(job.train)
    if job.given is not None:
        return [total]
    enough = [total // share for share in _SHARES if share == 1 or total // share >= 2 * job.settings.demos]
    return enough[-job.settings.candidates :]


def growing_bank(job: Job) -> Iterator[TraceBank]:
    """The bank in each round, with all that was in it before.

    The teacher runs when the next one is asked for. The last one is not empty, see `Job.bank`.
    The tasks that stand for most of the others come first, so that a small bank covers them all.
    """
    planned = sizes(job)
    if len(planned) == 1:
        yield job.bank()
        return
    tasks = covering_order(job.train)
    bank = TraceBank(())
    for number, (start, stop) in enumerate(zip([0, *planned], planned, strict=False)):
        bank = _with(bank, job, tasks[start:stop], number)
        job.gaps = bank.gaps
        yield job.taught(bank) if stop == planned[-1] else bank


def covering_order(tasks: Sequence[Task]) -> list[Task]:
    """The tasks in such an order that all texts are near one of the first ones, however many those are.

    Greedy facility location. What a task adds only shrinks as others come before it, so most need not be
    looked at in most steps (Minoux 1978).
    """
    import numpy as np

    ordered = sorted(tasks, key=lambda task: task.id)
    index = LexicalIndex({task.id: task.query for task in ordered})
    likeness = np.empty((len(ordered), len(ordered)))
    for place, task in enumerate(ordered):
        # One row at a time: as lists of numbers all rows would take ten times the memory.
        likeness[place] = index.scores(task.query)
    best = np.zeros(len(ordered))

    def adds(place: int) -> float:
        # Rounded, so that the order of additions can never decide between equals.
        return round(float(np.maximum(likeness[place] - best, 0.0).sum()), 6)

    # The most that each can add, the largest first; among equals the earlier one.
    waiting = [(-adds(place), place) for place in range(len(ordered))]
    heapq.heapify(waiting)
    found = []
    while waiting:
        known, place = waiting[0]
        now = -adds(place)
        if now > known:
            heapq.heapreplace(waiting, (now, place))
            continue
        heapq.heappop(waiting)
        found.append(ordered[place])
        best = np.maximum(best, likeness[place])
    return found


def _with(bank: TraceBank, job: Job, tasks: Sequence[Task], number: int) -> TraceBank:
    teacher = replace(job.teacher, folder=job.teacher.folder / f"round-{number}")
    more = job.usable(collect(job.program, tasks, teacher))
    return TraceBank((*bank.demonstrations, *more.demonstrations), (*bank.gaps, *more.gaps))
