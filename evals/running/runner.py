"""The runner: programs on tasks, in parallel, every episode on record.

    with EpisodeLog.open("episodes.jsonl", resume=True) as log:
        result = evaluate(program, tasks, EvalSettings(env=suite.env, lm=lm, workers=32), log=log)
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

from evals.dspy_programs.digests import model_name
from evals.lm.payer import AdmissionError
from evals.records.log import EpisodeLog
from evals.records.parts import PAID
from evals.records.program_records import ProgramRecords
from evals.records.record import EpisodeRecord, WorkUnit, record_lost
from evals.records.summary import Summary, interval_json, summarize
from evals.running.outage import IN_VAIN, Outage, may_pass
from evals.running.resuming import Resumed, resumed
from evals.running.rollout_job import RolloutJob
from evals.running.settings import EvalSettings
from evals.running.workers import Workers
from evals.task_kind import kind_of
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.tasks.task import Task


ATTEMPTS = 3
"""The most attempts at an episode that is lost to the infrastructure.

Further attempts are made when all others have ended, so that an outage can pass. An episode that exceeds its
time limit is not tried again: the limit is the user's.
"""


@dataclass(frozen=True)
class Progress:
    """One more episode is done, or was tried again.

    Attributes:
        part: the place of the program among those that are evaluated together.
    """

    done: int
    total: int
    record: EpisodeRecord
    part: int = 0


@dataclass(frozen=True)
class EvalResult:
    """Every episode of an evaluation, in the order of tasks and trials, and their figures.

    Attributes:
        resumed: the number of episodes from the log that were not run again.
        seconds: wall time of running the episodes.
        unstarted: the number of missing episodes: a budget was spent before they could start.
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

    def as_program(self, label: str = "", *, baseline: bool = False) -> ProgramRecords:
        """The episodes as tables of a kind take them."""
        return ProgramRecords(label or self.strategy, self.records, self.summary, self.seed, baseline)

    def figures_json(self) -> dict[str, Any]:
        """The figures as JSON-able data, with those of the kind."""
        figures = kind_of(self.records).report().figures(self.as_program())
        own = {
            title: {name: interval_json(each) for name, each in parts.items()}
            for title, parts in figures.items()
        }
        return {**self.summary.to_json(), **own}


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation; finished episodes are in the log. Commands end with exit code 130."""

    def __init__(self, done: int, total: int, log: EpisodeLog | None) -> None:
        place = f"; they are in {log.path}, continue with --resume" if log is not None else ""
        super().__init__(f"stopped after {done} of {total} episodes{place}")
        self.done = done
        self.total = total


@dataclass(frozen=True)
class Part:
    """A program on its tasks, one of several that share the workers.

    Attributes:
        log: each episode is written to it as it ends; episodes that it already holds are not run again.
        known: whether an episode that the log holds need not run again.
        begun: the keys of the episodes that are run; None runs all.

    Raises:
        InputError: there are no tasks, or one is listed twice.
    """

    program: Callable[..., Any]
    tasks: Sequence[Task]
    log: EpisodeLog | None = None
    known: Callable[[EpisodeRecord], bool] = lambda _: True
    begun: Collection[str] | None = None

    def __post_init__(self) -> None:
        if not self.tasks:
            raise InputError("there are no tasks to evaluate on", hint="choose another split or limit")
        twice = [task_id for task_id, count in Counter(task.id for task in self.tasks).items() if count > 1]
        if twice:
            raise InputError(f"task {twice[0]!r} is listed more than once", hint="use trials to repeat tasks")


def evaluate(
    program: Callable[..., Any],
    tasks: Sequence[Task],
    settings: EvalSettings,
    *,
    log: EpisodeLog | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> EvalResult:
    """Run one program on tasks and score each episode.

    Args and Raises: see `evaluate_together` and `Part`.
    """
    parts = [Part(program, tasks, log)]
    return evaluate_together(parts, settings, on_progress=on_progress, on_resume=on_resume)[0]


def evaluate_together(
    parts: Sequence[Part],
    settings: EvalSettings,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    on_resume: Callable[[Resumed], None] | None = None,
) -> list[EvalResult]:
    """Run several programs at once: no worker is idle while any of them has episodes left.

    Args:
        on_progress: called with each episode, in the calling thread.
        on_resume: called before the first episode with what becomes of the episodes in each log that has any.

    Returns:
        A result for each part; the seconds of each are those of all together.

    Raises:
        InputError: a program itself was given something wrong.
        ModelDownError: a model has not answered at all, see `evals.running.outage`.
        EvaluationInterrupted: on Ctrl-C, after episodes in flight had a moment to finish.
    """
    started = time.perf_counter()
    running = [_Running(part, place, settings) for place, part in enumerate(parts)]
    for each in running:
        if on_resume is not None and (found := each.resumed()) is not None:
            on_resume(found)
        each.charge_known()
    outage = Outage(running[0].job.lm, known=any(each.done for each in running))

    def attempt(planned: Sequence[_Planned], *, first: bool = False) -> None:
        def keep(place: int, record: EpisodeRecord | None) -> None:
            if record is None:
                return
            progress = planned[place].part.keep(record)
            if on_progress:
                on_progress(progress)
            if first:
                outage.note(record)

        pool: Workers[_Attempt, EpisodeRecord | None] = Workers(
            _Attempt.run,
            workers=settings.workers,
            on_result=keep,
            time_limit=settings.time_limit,
            overdue=_Attempt.timed_out,
        )
        pool.run([_Attempt(each) for each in planned])

    def lost(planned: Sequence[_Planned]) -> list[_Planned]:
        return [each for each in planned if each.part.lost(each)]

    fresh = [planned for each in running for planned in each.fresh]
    try:
        attempt(fresh, first=True)
        for _ in range(ATTEMPTS - 1):
            again = lost(fresh)
            attempt(again[:IN_VAIN])
            if len(lost(again[:IN_VAIN])) == IN_VAIN:
                break  # the outage goes on
            attempt(again[IN_VAIN:])
    except KeyboardInterrupt as stop:
        done, total = sum(len(each.done) for each in running), sum(len(each.planned) for each in running)
        raise EvaluationInterrupted(done, total, parts[0].log) from stop
    seconds = time.perf_counter() - started
    return [each.result(seconds) for each in running]


@dataclass(frozen=True)
class _Planned:
    """An episode of a part."""

    part: _Running
    unit: WorkUnit
    task: Task


class _Attempt:
    """One attempt at an episode."""

    def __init__(self, planned: _Planned) -> None:
        from evals.lm.metering import Meter

        self._planned = planned
        self._meter = Meter.inner()

    def run(self) -> EpisodeRecord | None:
        """The record; None if the episode was not admitted, or cut short by the budget."""
        part, unit, task = self._planned.part, self._planned.unit, self._planned.task
        admission = part.job.settings.admission
        if admission is None:
            return part.job.run(unit, task, self._meter)
        leave = admission.admit(part.job.program_digest)
        if leave is None:
            return None
        try:
            with leave:
                record = part.job.run(unit, task, self._meter)
        except AdmissionError:
            return None
        if leave.cut_short:
            part.cut_short.append(record)
            return None
        return record

    def timed_out(self) -> EpisodeRecord:
        """The record of an episode past its time limit, with what was counted until then."""
        limit = self._planned.part.job.settings.time_limit or 0.0
        return record_lost(
            self._planned.unit,
            self._planned.task,
            "timeout",
            labels=self._planned.part.job.kind.labels(self._planned.task),
            error=f"no result after {limit:g} s",
            seconds=limit,
            model_calls=self._meter.answers,
            usage=self._meter.usage,
        )


class _Running:
    """A part on its way: its episodes, planned and done.

    Attributes:
        planned: all of its episodes, in the order of tasks and trials.
        fresh: those that the log does not hold.
        done: records by the key of their unit.
        cut_short: records that are not kept because the budget ended them; they were paid for.
    """

    def __init__(self, part: Part, place: int, settings: EvalSettings) -> None:
        self.job = job = RolloutJob(part.program, settings)
        self._place, self._log = place, part.log
        self.planned = [
            _Planned(self, job.unit(task, trial), task)
            for task in part.tasks
            for trial in range(settings.trials)
        ]
        self.done = {
            each.unit.key: record
            for each in self.planned
            if part.log is not None and (record := part.log.finished(each.unit.key)) and part.known(record)
        }
        self._resumed = len(self.done)
        self.fresh = [
            each
            for each in self.planned
            if each.unit.key not in self.done and (part.begun is None or each.unit.key in part.begun)
        ]
        self.cut_short: list[EpisodeRecord] = []

    def resumed(self) -> Resumed | None:
        """What becomes of the episodes that the log holds; None if it holds none."""
        if self._log is None or not len(self._log):
            return None
        return resumed(self._resumed, [each.unit for each in self.fresh], self._log.records)

    def charge_known(self) -> None:
        """Charge the budget with the episodes that the log holds, lost ones as well: they were paid for."""
        admission = self.job.settings.admission
        for each in self.planned:
            if admission and self._log is not None and (record := self._log.last(each.unit.key)) is not None:
                admission.charge(record)

    def lost(self, planned: _Planned) -> bool:
        """Whether an episode was run and lost, and may end otherwise another time."""
        record = self.done.get(planned.unit.key)
        return record is not None and may_pass(record, self.job.lm)

    def keep(self, record: EpisodeRecord) -> Progress:
        """Keep the record of an episode that ended."""
        before = self.done.get(record.key) or (self._log.last(record.key) if self._log is not None else None)
        if before is not None:
            paid = {name: getattr(before, name) + getattr(record, name) for name in PAID}
            record = record.model_copy(update={"attempts": before.attempts + 1, **paid})
        if self._log is not None:
            self._log.append(record)
        self.done[record.key] = record
        return Progress(len(self.done), len(self.planned), record, self._place)

    def result(self, seconds: float) -> EvalResult:
        """The result, without the episodes that never started."""
        records = tuple(self.done[each.unit.key] for each in self.planned if each.unit.key in self.done)
        settings = self.job.settings
        return EvalResult(
            records=records,
            summary=summarize(records, seed=settings.seed, cut_short=self.cut_short),
            program=self.job.program_digest,
            model=model_name(self.job.lm),
            strategy=self.job.strategy,
            seed=settings.seed,
            trials=settings.trials,
            resumed=self._resumed,
            seconds=seconds,
            unstarted=len(self.planned) - len(records),
        )
