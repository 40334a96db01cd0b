"""Parts of an evaluation: one program on its tasks, with its planned and finished episodes."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, Self, overload

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.records.log import EpisodeLog
from worksmith.evals.records.record import EpisodeRecord, WorkUnit
from worksmith.evals.records.recording import record_lost
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
class Part:
    """A program on its tasks, one of several that share the workers.

    Attributes:
        program: takes `task=` and returns a prediction with an `.episode`.
        log: each episode is written to it as it ends; episodes that it already holds are not run again.
        known: whether an episode that the log holds need not run again; None for all that are not lost.
        begun: the keys of the episodes that are run; None runs all.

    Raises:
        InputError: there are no tasks, or one is listed twice.
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


class PlannedEpisode(NamedTuple):
    """An episode of a part.

    Attributes:
        place: among the episodes of the part.
    """

    part: PartRun
    place: int
    unit: WorkUnit
    task: Task


class PlannedEpisodes(Sequence[PlannedEpisode]):
    """Episodes of parts, each made when it is asked for: objects of all would fill the memory of a long run.

    Args:
        chosen: parts with the places of their episodes.
    """

    def __init__(self, chosen: Sequence[tuple[PartRun, Sequence[int]]]) -> None:
        self._chosen = chosen
        self._ends = list(accumulate(len(places) for _, places in chosen))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> PlannedEpisode: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlannedEpisode]: ...
    def __getitem__(self, index: int | slice) -> PlannedEpisode | list[PlannedEpisode]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        number = bisect_right(self._ends, index)
        part, places = self._chosen[number]
        return part.planned(places[index - self._ends[number] + len(places)])


class Attempts(Sequence["Attempt"]):
    """Attempts at episodes, each made when it is asked for."""

    def __init__(self, planned: Sequence[PlannedEpisode]) -> None:
        self._planned = planned

    def __len__(self) -> int:
        return len(self._planned)

    @overload
    def __getitem__(self, index: int) -> Attempt: ...
    @overload
    def __getitem__(self, index: slice) -> list[Attempt]: ...
    def __getitem__(self, index: int | slice) -> Attempt | list[Attempt]:
        if isinstance(index, slice):
            return [Attempt(each) for each in self._planned[index]]
        return Attempt(self._planned[index])


class Attempt:
    """One attempt at an episode.

    Attributes:
        begun: when it began, as of `time.monotonic`; None while it waits for the budget or for an engine.
    """

    def __init__(self, episode: PlannedEpisode) -> None:
        from worksmith.evals.lm.metering import Meter

        self._episode = episode
        self._number = 1 + episode.part.attempts(episode.place)
        self._meter = Meter.inner()
        self.begun: float | None = None

    def run(self) -> EpisodeRecord | None:
        """The record; None if the episode was not admitted, or cut short by the budget."""
        part, unit, task = self._episode.part, self._episode.unit, self._episode.task
        admission = part.job.settings.admission
        if admission is None:
            return self._record(unit, task)
        leave = admission.admit(part.job.program_digest)
        if leave is None:
            return None
        try:
            with leave:
                record = self._record(unit, task)
        except AdmissionError:
            return None
        if leave.cut_short:
            part.cut_short.append(record)
            return None
        return record

    def _record(self, unit: WorkUnit, task: Task) -> EpisodeRecord:
        job = self._episode.part.job
        if (engine := job.engine()) is not None:
            engine.wait_ready()
        self.begun = time.monotonic()
        return job.run(unit, task, self._meter, attempt=self._number)

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


class _Earlier(NamedTuple):
    """Lost attempts at an episode. Their records are not held, since an outage may lose many."""

    attempts: int
    usage: Usage

    @classmethod
    def of(cls, record: EpisodeRecord) -> Self:
        return cls(record.attempts, record.usage)


class PartRun:
    """A part that is being run. Records are in its log; without a log they are in memory.

    Attributes:
        place: among those that are run together.
        total: the number of its episodes.
        ended: the number of those that have a record.
        fresh: the places of the episodes that the log does not hold, in the order of tasks and trials.
        lost: the places of episodes that were run and lost, and may end otherwise another time.
        cut_short: records of episodes that the budget ended; they are not kept, but were paid for.
    """

    def __init__(self, part: Part, place: int, settings: EvalSettings) -> None:
        self._replies = part.log.replies if part.log is not None else None
        self.job = RolloutJob(part.program, settings, self._replies)
        self.place, self._log, self._tasks = place, part.log, part.tasks
        self.total = len(part.tasks) * settings.trials
        self._ended = bytearray(self.total)
        self._kept: dict[int, EpisodeRecord] = {}
        self._earlier: dict[int, _Earlier] = {}
        self.fresh = array("q")
        held = part.log if part.log is not None and len(part.log) else None
        for number in range(self.total):
            self._plan(number, part, held)
        self.ended = self._resumed = sum(self._ended)
        self.lost: set[int] = set()
        self.cut_short: list[EpisodeRecord] = []

    def _plan(self, number: int, part: Part, log: EpisodeLog | None) -> None:
        """Decide whether an episode is run.

        Args:
            log: None where it holds no records.
        """
        key = "" if log is None and part.begun is None else self.planned(number).unit.key
        record = None
        if log is not None:
            finished = log.is_finished(key)
            record = None if finished and part.known is None else log.last(key)
            if finished and (record is None or part.known is None or part.known(record)):
                self._ended[number] = 1
                return
        if part.begun is None or key in part.begun:
            self.fresh.append(number)
            if record is not None:
                self._earlier[number] = _Earlier.of(record)

    def planned(self, place: int) -> PlannedEpisode:
        """The episode at a place: tasks in their order, and all trials of one before those of the next."""
        task = self._tasks[place // self.job.settings.trials]
        return PlannedEpisode(self, place, self.job.unit(task, place % self.job.settings.trials), task)

    def resumed(self) -> Resumed | None:
        """The counts for resuming; None without a log or an earlier episode."""
        if self._log is None:
            return None
        begun = 0
        if self._replies is not None and self._replies.any_begun:
            begun = sum(self._replies.begun(self.planned(place).unit.key) for place in self.fresh)
        if not (len(self._log) or begun):
            return None
        others = len(self._log) > self._resumed
        units = (self.planned(place).unit for place in self.fresh) if others else ()
        changed = changes_of(units, self._log.like)
        return Resumed(self._resumed, len(self.fresh), changed, begun)

    def charge_known(self) -> None:
        """Charge the budget with what earlier processes paid, for lost and killed episodes as well."""
        admission = self.job.settings.admission
        if admission is None or self._log is None:
            return
        for place in range(self.total):
            key = self.planned(place).unit.key
            record = self._log.last(key)
            if record is not None:
                admission.charge(record)
            if self._replies is not None and self._replies.begun(key):
                attempts = 0 if record is None else record.attempts
                admission.charge_unrecorded(self._replies.unrecorded(key, attempts))

    def attempts(self, place: int) -> int:
        """The number of earlier attempts at an episode that is run."""
        before = self._earlier.get(place)
        return 0 if before is None else before.attempts

    def keep(self, place: int, record: EpisodeRecord) -> None:
        """Keep the record of an episode that ended."""
        before = self._earlier.pop(place, None)
        if before is not None:
            record = record.with_paid(before.usage).model_copy(update={"attempts": before.attempts + 1})
        if may_pass(record, self.job.lm):
            self.lost.add(place)
            self._earlier[place] = _Earlier.of(record)
        else:
            self.lost.discard(place)
        if self._log is not None:
            self._log.append(record)
        else:
            self._kept[place] = record
        self.ended += not self._ended[place]
        self._ended[place] = 1

    def result(self, seconds: float) -> EvalResult:
        """The result, without the episodes that never started."""
        ended = (place for place in range(self.total) if self._ended[place])
        if self._log is None:
            records: Sequence[EpisodeRecord] = tuple(map(self._kept.__getitem__, ended))
        else:
            records = self._log.records_of(self.planned(place).unit.key for place in ended)
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
