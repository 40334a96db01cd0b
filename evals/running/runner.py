"""The runner: a program on tasks, in parallel, every episode on record.

    with EpisodeLog.open("episodes.jsonl", resume=True) as log:
        result = evaluate(program, tasks, environment=suite.environment, lm=lm, workers=32, log=log)
    print(result.summary.scores["outcome"])

A program is any `dspy.Module` (or callable) that takes `task=` and returns a prediction with an `.episode`.
The same program, tasks, world, model replies and seed give the same scores whatever the number of workers,
and after a kill and resume.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_name, strategy_name
from evals.records.log import EpisodeLog
from evals.records.parts import PAID
from evals.records.record import EpisodeRecord, WorkUnit
from evals.records.summary import PAID_COSTS, Summary, summarize
from evals.running.admission import Admission, admitted
from evals.running.outage import IN_VAIN, Outage, may_pass
from evals.running.resuming import Resumed, resumed
from evals.running.rollout_job import Work
from evals.running.workers import Workers
from evals.scoring.scorer import Scorer
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.running.judges import Judge
    from evals.tasks.task import Task
    from tools.environment import Environment


ATTEMPTS = 3
"""How often an episode is tried at most that is lost to the infrastructure.

Further attempts are made when all others have ended, so that an outage can pass. An episode that exceeds its
time limit is not tried again: the limit is the user's.
"""


@dataclass(frozen=True)
class Progress:
    """One more episode is done, or was tried again."""

    done: int
    total: int
    record: EpisodeRecord


@dataclass(frozen=True)
class EvalResult:
    """Every episode of an evaluation, in the order of tasks and trials, and the figures they give.

    Attributes:
        resumed: how many episodes came from the log instead of being run.
        seconds: wall time of running the episodes.
        unstarted: how many episodes are missing, because a budget was spent before they could start.
    """

    records: tuple[EpisodeRecord, ...]
    summary: Summary
    program: str
    model: str
    strategy: str
    seed: int
    trials: int
    resumed: int = 0
    seconds: float = 0.0
    unstarted: int = 0


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation; what was finished is in the log. Commands end with exit code 130."""

    def __init__(self, done: int, total: int, log: EpisodeLog | None) -> None:
        place = f"; they are in {log.path}, continue with --resume" if log is not None else ""
        super().__init__(f"stopped after {done} of {total} episodes{place}")
        self.done = done
        self.total = total


def evaluate(
    program: Callable[..., Any],
    tasks: Sequence[Task],
    *,
    env: Environment,
    lm: Any = None,
    workers: int = 8,
    seed: int = 0,
    trials: int = 1,
    log: EpisodeLog | None = None,
    scorers: Sequence[Scorer] | None = None,
    judges: Sequence[Judge] = (),
    time_limit: float | None = None,
    strategy: str | None = None,
    admission: Admission | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> EvalResult:
    """Run `program` on every task `trials` times and score each episode.

    Args:
        env: over the world the tasks belong to; the default scorers execute expectations in it.
        lm: a `dspy.LM`; None leaves the one that DSPy's settings or the program hold.
        log: where each episode is written as it ends; units it already holds are not run again.
        scorers: default is what `evals.scoring.scorers.scorers_for` picks for the world.
        judges: asked about each graded episode after its scorers, in the same worker.
        time_limit: seconds after which an episode counts as `timeout` and is no longer waited for.
        strategy: the name under which the records go; default is what the program declares.
        admission: asked before each episode whether it may start; default is that all may.
        on_progress: told of each episode, in the calling thread.
        on_resume: told before the first episode what becomes of those that the log holds, if it holds any.

    Raises:
        InputError: an argument makes no sense, or the program itself was given something wrong.
        ModelDownError: a model has not answered at all, see `evals.running.outage`.
        EvaluationInterrupted: on Ctrl-C, after episodes in flight had a moment to finish.
    """
    told = on_progress
    (result,) = evaluate_together(
        [Part(program, tasks, log)],
        env=env,
        lm=lm,
        workers=workers,
        seed=seed,
        trials=trials,
        scorers=scorers,
        judges=judges,
        time_limit=time_limit,
        strategy=strategy,
        admission=admission,
        on_progress=(lambda _, progress: told(progress)) if told else None,
        on_resume=on_resume,
    )
    return result


@dataclass(frozen=True)
class Part:
    """A program on its tasks, one of several that share the workers.

    Attributes:
        log: as for `evaluate`; each part has its own.
        known: whether an episode that the log holds need not run again.
        begun: the keys of the episodes that are run; None runs all.
    """

    program: Callable[..., Any]
    tasks: Sequence[Task]
    log: EpisodeLog | None = None
    known: Callable[[EpisodeRecord], bool] = lambda _: True
    begun: Collection[str] | None = None


def evaluate_together(
    parts: Sequence[Part],
    *,
    env: Environment,
    lm: Any = None,
    workers: int = 8,
    seed: int = 0,
    trials: int = 1,
    scorers: Sequence[Scorer] | None = None,
    judges: Sequence[Judge] = (),
    time_limit: float | None = None,
    strategy: str | None = None,
    admission: Admission | None = None,
    on_progress: Callable[[int, Progress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> list[EvalResult]:
    """As `evaluate`, several programs at once: no worker is idle while any of them has episodes left.

    Args:
        on_progress: told of each episode and the part it belongs to, in the calling thread.

    Returns:
        A result for each part; the seconds of each are those of all together.

    Raises:
        InputError: an argument makes no sense, or a program itself was given something wrong.
        ModelDownError: a model has not answered at all, see `evals.running.outage`.
        EvaluationInterrupted: on Ctrl-C, after episodes in flight had a moment to finish.
    """
    for part in parts:
        _check(part.tasks, workers, trials, time_limit)
    started = time.perf_counter()
    running = [
        _Running(
            part,
            Work(
                part.program,
                env,
                lm,
                scorers,
                strategy or strategy_name(part.program),
                seed,
                judges,
                admission,
            ),
            trials,
        )
        for part in parts
    ]
    for run in running:
        if on_resume is not None and (found := run.resumed()) is not None:
            on_resume(found)
        if admission is not None:
            run.charge(admission)
    outage = Outage(running[0].job.lm, known=any(run.done for run in running))

    def attempt(batch: Sequence[_Owed], *, again: bool = True) -> None:
        def keep(index: int, record: EpisodeRecord | None) -> None:
            if record is None:
                return
            place = batch[index][0]
            progress = running[place].keep(record)
            if on_progress:
                on_progress(place, progress)
            if not again:
                outage.note(record)

        pool: Workers[_Owed, EpisodeRecord | None] = Workers(
            admitted(
                admission,
                lambda owed: running[owed[0]].job.program_digest,
                lambda owed: running[owed[0]].job.run(owed[1:]),
                lambda owed, record: running[owed[0]].cut_short.append(record),
            ),
            workers=workers,
            on_result=keep,
            time_limit=time_limit,
            overdue=lambda owed: running[owed[0]].job.overdue(owed[1:], time_limit or 0.0),
        )
        pool.run(batch)

    try:
        fresh = [(place, *owed) for place, run in enumerate(running) for owed in run.fresh]
        attempt(fresh, again=False)
        for _ in range(ATTEMPTS - 1):
            lost = [(place, *owed) for place, run in enumerate(running) for owed in run.lost()]
            attempt(lost[:IN_VAIN])
            still = sum(len(run.lost()) for run in running)
            if still == len(lost) >= IN_VAIN:
                break  # the outage goes on
            attempt(lost[IN_VAIN:])
    except KeyboardInterrupt as stop:
        done, total = sum(len(run.done) for run in running), sum(len(run.owed) for run in running)
        raise EvaluationInterrupted(done, total, parts[0].log) from stop
    seconds = time.perf_counter() - started
    return [run.result(seconds) for run in running]


_Owed = tuple[int, WorkUnit, "Task"]
"""The place of a part, and an episode of it."""


class _Running:
    """One part of an evaluation on its way: what is done and what is owed."""

    def __init__(self, part: Part, job: Work, trials: int) -> None:
        self.job = job
        self._log = log = part.log
        self._trials = trials
        self.owed = [(job.unit(task, trial), task) for task in part.tasks for trial in range(trials)]
        self._known = {
            unit.key: record
            for unit, _ in self.owed
            if log is not None and (record := log.finished(unit.key)) and part.known(record)
        }
        self.fresh = [
            (unit, task)
            for unit, task in self.owed
            if unit.key not in self._known and (part.begun is None or unit.key in part.begun)
        ]
        self.done = dict(self._known)
        self.cut_short: list[EpisodeRecord] = []

    def resumed(self) -> Resumed | None:
        """What becomes of the episodes that the log holds; None if it holds none."""
        if self._log is None or not len(self._log):
            return None
        return resumed(len(self._known), [unit for unit, _ in self.fresh], self._log.records)

    def charge(self, admission: Admission) -> None:
        """Count the episodes that the log holds, lost ones as well: they were paid for."""
        for unit, _ in self.owed:
            if self._log is not None and (record := self._log.last(unit.key)) is not None:
                admission.charge(record)

    def lost(self) -> list[tuple[WorkUnit, Task]]:
        """What was run and lost, and may end otherwise another time."""
        return [
            (unit, task)
            for unit, task in self.fresh
            if (record := self.done.get(unit.key)) is not None and may_pass(record, self.job.lm)
        ]

    def keep(self, record: EpisodeRecord) -> Progress:
        """Take in an episode that ended."""
        before = self.done.get(record.key) or (self._log.last(record.key) if self._log is not None else None)
        if before is not None:
            paid = {name: getattr(before, name) + getattr(record, name) for name in PAID}
            record = record.model_copy(update={"attempts": before.attempts + 1, **paid})
        if self._log is not None:
            self._log.append(record)
        self.done[record.key] = record
        return Progress(len(self.done), len(self.owed), record)

    def result(self, seconds: float) -> EvalResult:
        """What it came to, as far as it came."""
        records = tuple(self.done[unit.key] for unit, _ in self.owed if unit.key in self.done)
        summary = summarize(records, seed=self.job.seed)
        for name, cost in PAID_COSTS.items():
            summary.totals[name] += sum(map(cost, self.cut_short))
        return EvalResult(
            records=records,
            summary=summary,
            program=self.job.program_digest,
            model=model_name(self.job.lm),
            strategy=self.job.strategy,
            seed=self.job.seed,
            trials=self._trials,
            resumed=len(self._known),
            seconds=seconds,
            unstarted=len(self.owed) - len(records),
        )


def _check(tasks: Sequence[Task], workers: int, trials: int, time_limit: float | None) -> None:
    if not tasks:
        raise InputError("there are no tasks to evaluate on", hint="choose another split or limit")
    twice = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        raise InputError(f"task {twice[0]!r} is listed more than once", hint="use trials to repeat tasks")
    if workers < 1:
        raise InputError("at least one worker is needed", where="--workers")
    if trials < 1:
        raise InputError("at least one trial is needed", where="--trials")
    if time_limit is not None and time_limit <= 0:
        raise InputError("a time limit must be positive", where="--time-limit")
