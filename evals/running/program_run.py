"""The runs of one program on its tasks: the plan, the attempts, and the records so far."""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.records.models_asked import record_dollars
from worksmith.evals.records.record import PRIMARY, EpisodeRecord, WorkUnit
from worksmith.evals.records.recording import record_lost
from worksmith.evals.records.rows import Records
from worksmith.evals.records.summary import summarize
from worksmith.evals.running.outage import may_pass
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.resuming import Resumed, changes_of
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.tools.episode_result import Usage
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task


@dataclass(frozen=True)
class RunPlan:
    """A program on its tasks, one of several that share the workers.

    Attributes:
        program: takes `task=` and returns a prediction with an `.episode`.
        log: each episode is written to it as it ends; episodes that it already holds are not run again.
        known: whether an episode that the log holds need not run again; None for all that are not lost.
        begun: the keys of the episodes that are run; None runs all.

    Raises:
        InputError: the tasks are empty, or one is listed twice.
    """

    program: Callable[..., Any]
    tasks: Sequence[Task]
    log: EpisodeLog | None = None
    known: Callable[[EpisodeRecord], bool] | None = None
    begun: Collection[str] | None = None

    def __post_init__(self) -> None:
        if not self.tasks:
            raise InputError("there are no tasks to evaluate on", hint="choose another split or limit")
        twice = [task_id for task_id, count in Counter(task.id for task in self.tasks).items() if count > 1]
        if twice:
            raise InputError(f"task {twice[0]!r} is listed more than once", hint="use trials to repeat tasks")


class Attempt:
    """One attempt at an episode.

    Attributes:
        place: of the episode among those of its program.
        begun: when it began, as of `time.monotonic`; None while it waits for the budget or for an engine.
    """

    def __init__(self, program_run: ProgramRun, place: int) -> None:
        from worksmith.evals.lm.metering import Meter

        self.program_run, self.place = program_run, place
        self._unit, self._task = program_run.unit(place), program_run.task(place)
        self._number = 1 + program_run.attempts(place)
        self._meter = Meter.inner()
        self.begun: float | None = None

    def run(self) -> EpisodeRecord | None:
        """The record; None if the episode was not admitted, or cut short by the budget."""
        job = self.program_run.job
        if job.settings.admission is None:
            return self._record()
        leave = job.settings.admission.admit(job.program_digest)
        if leave is None:
            return None
        try:
            with leave:
                record = self._record()
        except AdmissionError:
            return None
        if leave.cut_short:
            self.program_run.cut_short.append(record)
            return None
        return record

    def _record(self) -> EpisodeRecord:
        job = self.program_run.job
        if (engine := job.engine()) is not None:
            engine.wait_ready()
        self.begun = time.monotonic()
        return job.run(self._unit, self._task, self._meter, attempt=self._number)

    def timed_out(self) -> EpisodeRecord:
        """The record of an episode past its time limit, with the counts so far."""
        self._meter.end()
        job, meter = self.program_run.job, self._meter
        limit = job.settings.time_limit or 0.0
        unknown = getattr(job.program, "counts_itself", False) and not meter.answers
        return record_lost(
            self._unit,
            self._task,
            "timeout",
            labels=job.kind.labels(self._task),
            error=f"no result after {limit:g} s",
            seconds=limit,
            model_calls=meter.answers,
            usage=Usage(uncounted=True) if unknown else meter.usage,
        )


class ProgramRun:
    """A plan that is being carried out. Records are in its log; without a log they are in memory.

    Attributes:
        place: among those that are run together.
        ended: the number of those that have a record.
        fresh: the places of the episodes that the log does not hold, in the order of tasks and trials.
        lost: the places of episodes that were run and lost, and may end otherwise another time.
        cut_short: records of episodes that the budget ended; they are not kept, but were paid for.
    """

    def __init__(self, plan: RunPlan, place: int, settings: EvalSettings) -> None:
        self._replies = plan.log.replies if plan.log is not None else None
        self.job = RolloutJob(plan.program, settings, self._replies)
        self.place, self._log, self._tasks = place, plan.log, plan.tasks
        self.total = len(plan.tasks) * settings.trials
        self._ended = bytearray(self.total)
        self._kept: dict[int, EpisodeRecord] = {}
        # Attempts at lost episodes and their usage. An outage may lose many, so no record is held.
        self._earlier: dict[int, tuple[int, Usage]] = {}
        self.fresh = array("q")
        held = plan.log if plan.log is not None and len(plan.log) else None
        for number in range(self.total):
            self._plan(number, plan, held)
        self.ended = self._resumed = sum(self._ended)
        self.lost: set[int] = set()
        self.cut_short: list[EpisodeRecord] = []
        self._scored, self._score, self._tokens = 0, 0.0, 0
        self._dollars: float | None = 0.0

    def _plan(self, number: int, plan: RunPlan, log: EpisodeLog | None) -> None:
        """Decide whether an episode is run.

        Args:
            log: None without records.
        """
        key = "" if log is None and plan.begun is None else self.unit(number).key
        record = None
        if log is not None:
            finished = log.is_finished(key)
            record = None if finished and plan.known is None else log.last(key)
            if finished and (record is None or plan.known is None or plan.known(record)):
                self._ended[number] = 1
                return
        if plan.begun is None or key in plan.begun:
            self.fresh.append(number)
            if record is not None:
                self._earlier[number] = record.attempts, record.usage

    def task(self, place: int) -> Task:
        """The task of an episode: tasks in their order, and all trials of one before those of the next."""
        return self._tasks[place // self.job.settings.trials]

    def unit(self, place: int) -> WorkUnit:
        return self.job.unit(self.task(place), place % self.job.settings.trials)

    def resumed(self) -> Resumed | None:
        """The counts for resuming; None without a log or an earlier episode."""
        if self._log is None:
            return None
        begun = 0
        if self._replies is not None and self._replies.any_begun:
            begun = sum(self._replies.begun(self.unit(place).key) for place in self.fresh)
        if not (len(self._log) or begun):
            return None
        others = len(self._log) > self._resumed
        units = map(self.unit, self.fresh) if others else ()
        changed = changes_of(units, self._log.like)
        return Resumed(self._resumed, len(self.fresh), changed, begun)

    def charge_known(self) -> None:
        """Charge the budget with what earlier processes paid, for lost and killed episodes as well."""
        admission = self.job.settings.admission
        if admission is None or self._log is None:
            return
        for place in range(self.total):
            key = self.unit(place).key
            record = self._log.last(key)
            if record is not None:
                admission.charge(record)
            if self._replies is not None and self._replies.begun(key):
                attempts = 0 if record is None else record.attempts
                admission.charge_unrecorded(self._replies.unrecorded(key, attempts))

    def attempts(self, place: int) -> int:
        return self._earlier[place][0] if place in self._earlier else 0

    def keep(self, place: int, record: EpisodeRecord) -> None:
        if place in self._earlier:
            attempts, used = self._earlier.pop(place)
            record = record.with_paid(used).model_copy(update={"attempts": attempts + 1})
        if may_pass(record, self.job.lm):
            self.lost.add(place)
            self._earlier[place] = record.attempts, record.usage
        else:
            self.lost.discard(place)
        if self._log is not None:
            self._log.append(record)
        else:
            self._kept[place] = record
        self.ended += not self._ended[place]
        self._ended[place] = 1

    def so_far(self, record: EpisodeRecord) -> dict[str, Any]:
        """What is known after a further episode, as fields of `EvaluationProgress`."""
        price = record_dollars(record, model_name(self.job.lm), paid=True)
        self._dollars = None if self._dollars is None or price is None else self._dollars + price
        self._tokens += record.usage.used_tokens
        if record.graded and PRIMARY in record.scores:
            self._scored, self._score = self._scored + 1, self._score + record.scores[PRIMARY]
        score = self._score / self._scored if self._scored else None
        known = {"score": score, "tokens": self._tokens, "dollars": self._dollars}
        return {"program": self.place, "task": record.task_id, **known}

    def result(self, seconds: float) -> EvalResult:
        """The result, without the episodes that never started."""
        ended = (place for place in range(self.total) if self._ended[place])
        if self._log is None:
            records: Sequence[EpisodeRecord] = Records(map(self._kept.__getitem__, ended))
        else:
            records = self._log.records_of(self.unit(place).key for place in ended)
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
            unstarted=self.total - len(records),
        )
