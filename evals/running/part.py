"""Parts of an evaluation: one program on its tasks, with its planned and finished episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_name
from evals.lm.payer import AdmissionError
from evals.records.log import EpisodeLog
from evals.records.record import EpisodeRecord, WorkUnit, record_lost
from evals.records.summary import summarize
from evals.running.outage import may_pass
from evals.running.result import EvalResult
from evals.running.resuming import Resumed, resumed
from evals.running.rollout_job import RolloutJob
from evals.running.settings import EvalSettings
from tools.episode_result import Usage
from tools.errors import InputError

if TYPE_CHECKING:
    from evals.tasks.task import Task


@dataclass(frozen=True)
class Part:
    """A program on its tasks, one of several that share the workers.

    Attributes:
        program: takes `task=` and returns a prediction with an `.episode`.
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


@dataclass(frozen=True)
class PlannedEpisode:
    """An episode of a part."""

    part: PartRun
    unit: WorkUnit
    task: Task


class Attempt:
    """One attempt at an episode."""

    def __init__(self, episode: PlannedEpisode) -> None:
        from evals.lm.metering import Meter

        self._episode = episode
        self._number = 1 + episode.part.attempts(episode.unit.key)
        self._meter = Meter.inner()

    def run(self) -> EpisodeRecord | None:
        """The record; None if the episode was not admitted, or cut short by the budget."""
        part, unit, task = self._episode.part, self._episode.unit, self._episode.task
        admission = part.job.settings.admission
        if admission is None:
            return part.job.run(unit, task, self._meter, attempt=self._number)
        leave = admission.admit(part.job.program_digest)
        if leave is None:
            return None
        try:
            with leave:
                record = part.job.run(unit, task, self._meter, attempt=self._number)
        except AdmissionError:
            return None
        if leave.cut_short:
            part.cut_short.append(record)
            return None
        return record

    def timed_out(self) -> EpisodeRecord:
        """The record of an episode past its time limit, with what was counted until then."""
        self._meter.end()
        limit = self._episode.part.job.settings.time_limit or 0.0
        return record_lost(
            self._episode.unit,
            self._episode.task,
            "timeout",
            labels=self._episode.part.job.kind.labels(self._episode.task),
            error=f"no result after {limit:g} s",
            seconds=limit,
            model_calls=self._meter.answers,
            usage=self._used(),
        )

    def _used(self) -> Usage:
        counts_itself = getattr(self._episode.part.job.program, "counts_itself", False)
        unknown = counts_itself and not self._meter.answers
        return Usage(uncounted=True) if unknown else self._meter.usage


class PartRun:
    """A part that is being run.

    Attributes:
        place: among those that are run together.
        planned: all of its episodes, in the order of tasks and trials.
        fresh: those that the log does not hold.
        done: records by the key of their unit.
        cut_short: records of episodes that the budget ended; they are not kept, but were paid for.
    """

    def __init__(self, part: Part, place: int, settings: EvalSettings) -> None:
        self._replies = part.log.replies if part.log is not None else None
        self.job = job = RolloutJob(part.program, settings, self._replies)
        self.place, self._log = place, part.log
        self.planned = [
            PlannedEpisode(self, job.unit(task, trial), task)
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
        """The counts for resuming; None without a log or an earlier episode."""
        units, replies = [each.unit for each in self.fresh], self._replies
        begun = 0 if replies is None else sum(replies.begun(unit.key) for unit in units)
        if self._log is None or not (len(self._log) or begun):
            return None
        return resumed(self._resumed, units, self._log.records, begun=begun)

    def charge_known(self) -> None:
        """Charge the budget with what earlier processes paid, for lost and killed episodes as well."""
        admission = self.job.settings.admission
        if admission is None:
            return
        for key in (each.unit.key for each in self.planned):
            if (record := self._last(key)) is not None:
                admission.charge(record)
            if self._replies is not None and self._replies.begun(key):
                admission.charge_unrecorded(self._replies.unrecorded(key, self.attempts(key)))

    def attempts(self, key: str) -> int:
        """The number of attempts at an episode that have a record."""
        record = self._last(key)
        return 0 if record is None else record.attempts

    def lost(self, episode: PlannedEpisode) -> bool:
        """Whether an episode was run and lost, and may end otherwise another time."""
        record = self.done.get(episode.unit.key)
        return record is not None and may_pass(record, self.job.lm)

    def keep(self, record: EpisodeRecord) -> None:
        """Keep the record of an episode that ended."""
        before = self._last(record.key)
        if before is not None:
            record = record.with_paid(before).model_copy(update={"attempts": before.attempts + 1})
        if self._log is not None:
            self._log.append(record)
        self.done[record.key] = record

    def _last(self, key: str) -> EpisodeRecord | None:
        """The last record of an episode, even of a lost one."""
        return self.done.get(key) or (self._log.last(key) if self._log is not None else None)

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
