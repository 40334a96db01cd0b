"""Rehearsing a compile: the optimizer runs as it will, but most of its dev episodes are made up.

Of each program that is measured on dev only a few episodes are run; the others are taken to be like those, in
outcome and cost. The teacher's episodes are all run, for what they show is what prompts will hold. So what a
compile takes is measured on the very programs that it will measure, and a race ends as it may end.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.identity import program_digest
from evals.prices import Prices
from evals.record import EpisodeRecord
from evals.runner import EvalResult, evaluate
from evals.summary import summarize
from optimizers.rollouts import Rollouts
from optimizers.spending import Spent
from tools.seeding import rng

if TYPE_CHECKING:
    from collections.abc import Callable

    import dspy

    from evals.task import Task
    from optimizers.job import Job
    from tools.episode import EpisodeResult


@dataclass
class Ledger:
    """What a rehearsal found that episodes of one model take.

    Attributes:
        model: its name, by which it is paid.
        sampled: how many episodes were run.
        sampling: seconds that it took to run those of them that stand for others.
        programs: the cost of each episode, run or made up, by program.
    """

    model: str
    prices: Prices
    sampled: int = 0
    sampling: float = 0.0
    seconds: float = 0.0
    programs: defaultdict[str, list[Spent]] = field(default_factory=lambda: defaultdict(list))

    def add(self, program: str, episode: EpisodeRecord | EpisodeResult) -> None:
        """Count an episode."""
        self.programs[program].append(Spent.by(episode, self.model, self.prices))

    @property
    def spent(self) -> Spent:
        """By all episodes."""
        return sum((spent for of_one in self.programs.values() for spent in of_one), start=Spent())

    @property
    def dearest(self) -> Spent:
        """What an episode takes of the program that takes most."""
        means = [_mean(of_one) for of_one in self.programs.values()]
        return max(means, key=lambda mean: mean.tokens, default=Spent())


@dataclass
class Rehearsed(Rollouts):
    """Runs a few episodes of each program, one after the other, and makes up the rest.

    Attributes:
        sample: so many are run.
        many: so many workers there will be.
    """

    ledger: Ledger = field(kw_only=True)
    sample: int = 10
    many: int = 1
    _pools: dict[str, EvalResult] = field(default_factory=dict)

    def together(
        self, runs: Mapping[str, tuple[Callable[..., Any], Sequence[Task]]], *, partly: bool = False
    ) -> dict[str, EvalResult]:
        """See `Rollouts`."""
        found = {name: self._rehearse(*run) for name, run in runs.items()}
        records = [record for result in found.values() for record in result.records]
        busy = sum(result.seconds for result in found.values())
        self.ledger.seconds += makespan([record.seconds for record in records], busy, self.many)
        for result in found.values():
            for record in result.records:
                self.cost.add(record)
                self.ledger.add(result.program, record)
        return found

    def _rehearse(self, program: Callable[..., Any], tasks: Sequence[Task]) -> EvalResult:
        """The result on `tasks`; its seconds are those that the machine will be busy."""
        known = self._pools.get(program_digest(program))
        short = self.sample - (len(known.records) if known else 0)
        # Other programs are tried on other tasks, so that more of them are seen.
        drawn = _spread(tasks, short, len(self._pools)) if short > 0 else []
        if drawn:
            known = self._pools[program_digest(program)] = self._run(program, drawn, known)
        assert known is not None
        run = {record.task_id: record for record in known.records}
        order = rng(self.seed, "rehearsal", known.program).sample(known.records, len(known.records))
        records = tuple(
            run[task.id]
            if task in drawn
            else order[place % len(order)].model_copy(update={"task_id": task.id})
            for place, task in enumerate(tasks)
        )
        share = known.seconds / len(known.records)
        return replace(known, records=records, summary=summarize(records), seconds=share * len(records))

    def _run(
        self, program: Callable[..., Any], tasks: Sequence[Task], known: EvalResult | None
    ) -> EvalResult:
        started, busy = time.perf_counter(), time.process_time()
        found = evaluate(
            program,
            tasks,
            workshop=self.workshop,
            lm=self.lm,
            workers=1,
            seed=self.seed,
            scorers=self.scorers,
        )
        took, busy = time.perf_counter() - started, time.process_time() - busy
        self.ledger.sampled += len(tasks)
        self.ledger.sampling += took
        records = (*(known.records if known else ()), *found.records)
        return replace(found, records=records, seconds=(known.seconds if known else 0.0) + busy)


class Performer:
    """As `Rehearsed`, for the optimizers of DSPy's, which run programs themselves. For one thread."""

    def __init__(self, ledger: Ledger, sample: int, many: int) -> None:
        self._ledger, self._sample, self._many = ledger, sample, many
        self._lock = threading.Lock()
        self._pools: dict[str, list[Any]] = {}
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)
        self._busy = 0.0

    def __call__(self, program: dspy.Module, task: Task, taught: bool) -> dspy.Prediction:
        """What the program says to the task, or to another one."""
        if taught:
            return program(task=task)
        with self._lock:
            name = program_digest(program)
            pool = self._pools.setdefault(name, [])
            if len(pool) < self._sample:
                started, busy = time.perf_counter(), time.process_time()
                pool.append(program(task=task))
                self._ledger.sampled += 1
                self._ledger.sampling += time.perf_counter() - started
                self._busy += time.process_time() - busy
                found = pool[-1]
            else:
                found = pool[len(self._seconds[name]) % len(pool)]
            self._seconds[name].append(found.episode.seconds)
            self._ledger.add(name, found.episode)
        return found

    def settle(self) -> None:
        """Count the time of all evaluations; each program is one."""
        each = self._busy / max(1, self._ledger.sampled)
        for seconds in self._seconds.values():
            self._ledger.seconds += makespan(seconds, each * len(seconds), self._many)


@dataclass(frozen=True)
class Rehearsal:
    """What a rehearsal came to.

    Attributes:
        student: the ledger of the dev episodes.
        teacher: of the teacher's, all of which were run.
        seconds: that the compile will take.
    """

    student: Ledger
    teacher: Ledger
    seconds: float


def rehearse(
    job: Job,
    optimizer: Callable[[Job], Any],
    *,
    names: tuple[str, str],
    sample: int,
    prices: Prices,
) -> Rehearsal:
    """Run `optimizer` on `job` in a rehearsal.

    Args:
        names: of the student's and the teacher's models, by which they are paid.
        sample: episodes that are run of each program on dev.
    """
    ledgers = [Ledger(name, prices) for name in names]
    student, teacher = job.student, job.teacher
    with tempfile.TemporaryDirectory() as folder:
        rehearsed = Rehearsed(
            student.workshop,
            student.lm,
            Path(folder) / "student",
            workers=1,
            scorers=student.scorers,
            ledger=ledgers[0],
            sample=sample,
            many=student.workers,
        )
        teaching = replace(teacher, folder=Path(folder) / "teacher", cost=type(teacher.cost)())
        perform = Performer(ledgers[0], sample, student.workers)
        started = time.perf_counter()
        optimizer(replace(job, student=rehearsed, teacher=teaching, perform=perform, budget=None))
        perform.settle()
        took = time.perf_counter() - started
    cost = teaching.cost
    ledgers[1].sampled = cost.episodes
    ledgers[1].programs["teacher"].append(
        Spent.on(
            0 if names[1].startswith("scripted/gold-") else cost.model_calls,
            cost.prompt_tokens,
            cost.completion_tokens,
            model=names[1],
            prices=prices,
        )
    )
    return Rehearsal(ledgers[0], ledgers[1], took - ledgers[0].sampling + ledgers[0].seconds)


def makespan(seconds: Sequence[float], busy: float, workers: int) -> float:
    """How long episodes take that take so long each alone, with so many at once.

    Args:
        busy: processor time of all of them together; what waits, waits side by side.
    """
    if not seconds:
        return 0.0
    alone, longest = sum(seconds), max(seconds)
    busy = min(alone, busy * slowdown()) if workers > 1 else alone
    # The last ones run while other workers are idle.
    tail = (longest - alone / len(seconds)) / 2 if len(seconds) > workers else 0.0
    return max(busy, longest, alone / workers + tail)


def slowdown(spins: int = 1_000_000) -> float:
    """By how much the machine is slower now than if it had nothing else to do."""
    started, busy = time.perf_counter(), time.process_time()
    total = 0
    for number in range(spins):
        total += number
    busy = time.process_time() - busy
    return max(1.0, (time.perf_counter() - started) / busy) if busy else 1.0


def _spread(tasks: Sequence[Task], count: int, shift: int) -> list[Task]:
    """So many of the tasks, evenly spread."""
    count = min(count, len(tasks))
    return [tasks[(place * len(tasks) // count + shift) % len(tasks)] for place in range(count)]


def _mean(spent: Sequence[Spent]) -> Spent:
    total = sum(spent, start=Spent())
    return Spent(*(value / len(spent) for value in total.values))
