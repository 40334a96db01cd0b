"""The runner: a program on tasks, in parallel, every episode on record.

    with EpisodeLog.open("episodes.jsonl", resume=True) as log:
        result = evaluate(program, tasks, workshop=suite.workshop, lm=lm, workers=32, log=log)
    print(result.summary.scores["outcome"])

A program is any `dspy.Module` (or callable) that takes `task=` and returns a prediction with an `.episode`.
The same program, tasks, world, model replies and seed give the same scores whatever the number of workers,
and after a kill and resume.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evals.identity import model_digest, model_name, program_digest, scorers_digest, strategy_name
from evals.log import EpisodeLog
from evals.record import (
    PRIMARY,
    PROGRAM_ERROR,
    Digests,
    EpisodeRecord,
    WorkUnit,
    record_episode,
    record_failure,
)
from evals.summary import Summary, summarize
from evals.workers import Workers
from tools.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from evals.task import Task
    from tools.episode import EpisodeResult
    from tools.workshop import Workshop


class Scorer(Protocol):
    """Anything that gives named scores to an episode; called once an episode, from many threads."""

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name; booleans count as 0 and 1."""
        ...


@dataclass(frozen=True)
class Progress:
    """One more episode is done."""

    done: int
    total: int
    record: EpisodeRecord


@dataclass(frozen=True)
class EvalResult:
    """Every episode of an evaluation, in the order of tasks and trials, and the figures they give.

    Attributes:
        resumed: how many episodes came from the log instead of being run.
        seconds: wall time of running the episodes.
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
    workshop: Workshop,
    lm: Any = None,
    workers: int = 8,
    seed: int = 0,
    trials: int = 1,
    log: EpisodeLog | None = None,
    scorers: Sequence[Scorer] | None = None,
    time_limit: float | None = None,
    strategy: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> EvalResult:
    """Run `program` on every task `trials` times and score each episode.

    Args:
        workshop: over the world the tasks belong to; the default scorers execute expectations in it.
        lm: a `dspy.LM`; None leaves the one that DSPy's settings or the program hold.
        log: where each episode is written as it ends; units it already holds are not run again.
        scorers: default is what `evals.scorers.scorers_for` picks for the world.
        time_limit: seconds after which an episode counts as `timeout` and is no longer waited for.
        strategy: the name under which the records go; default is what the program declares.
        on_progress: told of each episode, in the calling thread.

    Raises:
        InputError: an argument makes no sense, or the program itself was given something wrong.
        EvaluationInterrupted: on Ctrl-C, after episodes in flight had a moment to finish.
    """
    _check(tasks, workers, trials, time_limit)
    started = time.perf_counter()
    job = _Job(program, workshop, lm, scorers, strategy or strategy_name(program), seed)
    owed = [(job.unit(task, trial), task) for task in tasks for trial in range(trials)]
    known = {unit.key: record for unit, _ in owed if log is not None and (record := log.finished(unit.key))}
    fresh = [(unit, task) for unit, task in owed if unit.key not in known]
    done = dict(known)

    def keep(_: int, record: EpisodeRecord) -> None:
        if log is not None:
            log.append(record)
        done[record.key] = record
        if on_progress:
            on_progress(Progress(len(done), len(owed), record))

    pool: Workers[tuple[WorkUnit, Task], EpisodeRecord] = Workers(
        job.run,
        workers=workers,
        on_result=keep,
        time_limit=time_limit,
        overdue=lambda owed_unit: _overdue(*owed_unit, time_limit or 0.0),
    )
    try:
        pool.run(fresh)
    except KeyboardInterrupt as stop:
        raise EvaluationInterrupted(len(done), len(owed), log) from stop
    seconds = time.perf_counter() - started
    records = tuple(done[unit.key] for unit, _ in owed)
    return EvalResult(
        records=records,
        summary=summarize(records, seed=seed),
        program=job.program_digest,
        model=model_name(job.lm),
        strategy=job.strategy,
        seed=seed,
        trials=trials,
        resumed=len(known),
        seconds=seconds,
    )


@dataclass
class _Job:
    """What all episodes of one evaluation share."""

    program: Callable[..., Any]
    workshop: Workshop
    lm: Any
    scorers: Sequence[Scorer] | None
    strategy: str
    seed: int
    program_digest: str = ""
    _models: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import dspy

        self.lm = self.lm if self.lm is not None else dspy.settings.lm
        self.program_digest = program_digest(self.program)
        self._model_digest = model_digest(self.lm)
        if self.scorers is None:
            from evals.scorers import scorers_for

            self.scorers = scorers_for(self.workshop)
        self._scorers_digest = scorers_digest(self.scorers)

    def unit(self, task: Task, trial: int) -> WorkUnit:
        self._models.setdefault(trial, _for_trial(self.lm, self.seed, trial))
        digests = Digests(
            program=self.program_digest,
            task=task.digest,
            world=self.workshop.digest,
            model=self._model_digest,
            scorers=self._scorers_digest,
        )
        return WorkUnit(task_id=task.id, strategy=self.strategy, seed=self.seed, trial=trial, digests=digests)

    def run(self, owed: tuple[WorkUnit, Task]) -> EpisodeRecord:
        """One episode from start to record. Raises only what must end the whole evaluation."""
        import dspy

        unit, task = owed
        started = time.perf_counter()
        # A trace, history and usage tracker of its own: shared ones grow without bound and mix threads.
        with dspy.context(lm=self._models[unit.trial], trace=[], disable_history=True, usage_tracker=None):
            try:
                prediction = self.program(task=task)
            except InputError:
                raise
            except Exception as error:
                return _crashed(unit, task, error, time.perf_counter() - started)
            return self._graded(unit, task, prediction)

    def _graded(self, unit: WorkUnit, task: Task, prediction: Any) -> EpisodeRecord:
        episode = getattr(prediction, "episode", None)
        if episode is None:
            raise InputError(
                "the program's prediction has no episode",
                where=type(self.program).__name__,
                hint="return dspy.Prediction(answer=..., episode=EpisodeResult(...))",
            )
        record = record_episode(unit, task, episode, scores={})
        if not record.graded:
            return record
        scores: dict[str, float] = {}
        try:
            for scorer in self.scorers or ():
                scores.update({name: float(value) for name, value in scorer(task, episode).items()})
        except InputError:
            raise
        except Exception as error:
            # A broken scorer says nothing about the agent; the trajectory stays on record.
            return record_episode(
                unit, task, episode, scores={}, status="harness_error", error=f"scorer: {_describe(error)}"
            )
        return record.model_copy(update={"scores": scores})


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


def _for_trial(lm: Any, seed: int, trial: int) -> Any:
    """The model for one trial: later trials must not be answered from the cache of the first.

    DSPy caches by request; a rollout id makes equal requests differ. At temperature 0 there is nothing
    to sample, so the model stays as it is.
    """
    rollout = seed * 1_000_003 + trial
    if lm is None or rollout == 0 or getattr(lm, "kwargs", {}).get("temperature") == 0:
        return lm
    return lm.copy(rollout_id=rollout) if hasattr(lm, "copy") else lm


def _crashed(unit: WorkUnit, task: Task, error: Exception, seconds: float) -> EpisodeRecord:
    status = failure_status(error)
    scores = {PRIMARY: 0.0} if status == PROGRAM_ERROR else {}
    return record_failure(unit, task, status=status, error=_describe(error), seconds=seconds, scores=scores)


def failure_status(error: BaseException) -> str:
    """Whose fault an exception is: `model_error`, `harness_error`, or the program's own."""
    import apsw
    from dspy.utils.exceptions import ContextWindowExceededError, LMError

    from retrievers.errors import RetrievalError

    if isinstance(error, ContextWindowExceededError):
        return PROGRAM_ERROR  # the program let its prompt grow too long
    if isinstance(error, LMError | ConnectionError | TimeoutError):
        return "model_error"
    if isinstance(error, apsw.Error | OSError | MemoryError | RetrievalError | InfrastructureError):
        return "harness_error"
    return PROGRAM_ERROR


def _overdue(unit: WorkUnit, task: Task, time_limit: float) -> EpisodeRecord:
    error = f"no result after {time_limit:g} s"
    return record_failure(unit, task, status="timeout", error=error, seconds=time_limit, scores={})


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
