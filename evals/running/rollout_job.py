"""One program under settings: each of its episodes is identified, run, scored and recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.digests import model_digest, program_digest, scorers_digest, strategy_name
from evals.dspy_programs.own_models import with_models
from evals.failure_modes.diagnosis import diagnose
from evals.lm.failures import failure_of
from evals.records.parts import ChangeEntry, FaultEntry
from evals.records.record import (
    PRIMARY,
    Digests,
    EpisodeRecord,
    WorkUnit,
    change_entries,
    record_episode,
)
from evals.records.verdicts import JUDGE, with_verdict
from evals.running.emitted_spans import emitted_spans
from evals.running.judges import ask_judges
from evals.running.settings import EvalSettings
from evals.scoring.objective import own_fault
from evals.scoring.scorer import KnowsExpected, KnowsTools, scores_of
from evals.task_kind import run_program, scorers_for, task_kind
from tools.code import code_digest
from tools.episode_result import EpisodeResult, Usage
from tools.errors import InputError
from tools.files.secrets import described
from tools.files.unicode import writable
from tools.sqlite.outcome import Outcome

if TYPE_CHECKING:
    from evals.lm.metering import Meter
    from evals.lm.replies.episodes import EpisodeReplies
    from evals.tasks.task import Task


class RolloutJob:
    """The episodes of a program under settings.

    Args:
        program: a `dspy.Module` or callable that takes `task=` and returns a prediction with an `.episode`.
        settings: the environment, the model, the scorers, the judges and the limits.
        replies: keeps the replies to episodes.

    Raises:
        InputError: replies cannot be kept, or requests of a model not be counted.
    """

    def __init__(
        self, program: Callable[..., Any], settings: EvalSettings, replies: EpisodeReplies | None = None
    ) -> None:
        import dspy

        from evals.lm.metering import metered

        self.program = program
        self.settings = settings
        self.lm = dspy.settings.lm if settings.lm is None else settings.lm
        self.scorers = scorers_for(settings.env) if settings.scorers is None else settings.scorers
        self.kind = task_kind(settings.env.kind.name)
        self.strategy = settings.strategy or strategy_name(program)
        self.program_digest = program_digest(program)
        self._digests = Digests(
            program=self.program_digest,
            code=code_digest(program),
            task="",
            world=settings.env.digest,
            model=model_digest(self.lm),
            scorers=scorers_digest([*self.scorers, *settings.judges]),
        )
        # Requests to every model are counted, the program's own models included.
        counted = settings.admission.counted if settings.admission is not None else metered
        self._replies = replies

        def asked(lm: Any) -> Any:
            return counted(lm) if replies is None else replies.keeping(counted(lm))

        self._program = with_models(program, asked)
        self._judges = settings.judges
        if replies is not None:
            self._judges = [with_models(judge, replies.keeping) for judge in settings.judges]
        lm = None if self.lm is None else asked(self.lm)
        self._models = [_for_trial(lm, settings.seed, trial) for trial in range(settings.trials)]

    def unit(self, task: Task, trial: int) -> WorkUnit:
        """The identity of one episode."""
        digests = self._digests.model_copy(update={"task": task.digest})
        return WorkUnit(
            task_id=task.id, strategy=self.strategy, seed=self.settings.seed, trial=trial, digests=digests
        )

    def run(
        self, unit: WorkUnit, task: Task, meter: Meter | None = None, *, attempt: int = 1
    ) -> EpisodeRecord:
        """Run one episode and record it.

        Args:
            meter: counts what the episode uses, for callers that look at it meanwhile.
            attempt: the number of the attempt at the episode.

        Raises:
            InputError: no other episode would fare better.
            AdmissionError: the budget is spent.
        """
        with self._asking(unit, meter, attempt) as used:
            episode, raised = self._episode(task, used)
            return self.record(unit, task, episode, raised=raised)

    def episode(self, unit: WorkUnit, task: Task, meter: Meter | None = None) -> EpisodeResult:
        """Run one episode without a record of it; arguments and errors as of `run`."""
        with self._asking(unit, meter, 1) as used:
            return self._episode(task, used)[0]

    @contextmanager
    def _asking(self, unit: WorkUnit, meter: Meter | None, attempt: int) -> Iterator[Meter]:
        """A block in which the models of an episode are asked and counted."""
        import dspy

        from evals.lm.escapes import UnmeteredModels
        from evals.lm.metering import metering

        # A trace, history and usage tracker of its own: shared ones grow without bound and mix threads.
        with (
            metering(meter) as used,
            nullcontext(Usage())
            if self._replies is None
            else self._replies.asking(unit.key, attempt) as owed,
            dspy.context(
                lm=self._models[unit.trial], trace=[], disable_history=True, usage_tracker=UnmeteredModels()
            ),
        ):
            used.add(owed)
            yield used

    def _episode(self, task: Task, used: Meter) -> tuple[EpisodeResult, bool]:
        """The episode, and whether the program raised an exception instead of giving one."""
        started, raised = time.perf_counter(), False
        with emitted_spans() as emitted:
            try:
                episode = _episode_of(run_program(self._program, task, self.settings.env), self.program)
            except InputError:
                raise
            except Exception as error:
                # The program's changes are lost with it.
                raised, failure = True, failure_of(error)
                episode = EpisodeResult(
                    failure.status,
                    Outcome(b"", ()),
                    seconds=time.perf_counter() - started,
                    error=failure.error,
                    traceback=failure.traceback,
                )
        return replace(_with_usage(episode, used), spans=emitted.records()), raised

    def record(
        self, unit: WorkUnit, task: Task, episode: EpisodeResult, *, raised: bool = False
    ) -> EpisodeRecord:
        """The record of an episode that has run: scored, diagnosed and judged.

        Args:
            raised: the program gave no episode back; its outcome is wrong, whatever a scorer says.
        """
        record = record_episode(unit, task, episode, scores={}, labels=self.kind.labels(task))
        if record.graded:
            record = self._scored(record, task, episode, raised)
        record = ask_judges(self._judges, task, record)
        return _counting_verdict(record) if task.judged and record.graded else record

    def _scored(
        self, record: EpisodeRecord, task: Task, episode: EpisodeResult, raised: bool
    ) -> EpisodeRecord:
        expected: tuple[ChangeEntry, ...] = ()
        try:
            scores = scores_of(self.scorers, task, episode)
            if not task.checkable:
                scores.pop(PRIMARY, None)
            elif raised:
                scores[PRIMARY] = 0.0
            if scores.get(PRIMARY, 1.0) < 1:
                expected = self._expected(task, episode)
        except InputError:
            raise
        except Exception as error:
            # A broken scorer says nothing about the agent; the trajectory stays on record.
            failed = {
                "status": "harness_error",
                "error": writable(f"scorer: {described(error)}"),
                "scorer_failed": True,
            }
            return record.model_copy(update=failed)
        scored = record.model_copy(update={"scores": scores, "expected_changes": expected})
        fault = self._fault(task, scored, episode)
        return scored.model_copy(update={"fault": fault}) if fault else scored

    def _fault(self, task: Task, record: EpisodeRecord, episode: EpisodeResult) -> FaultEntry | None:
        """The reason of a wrong outcome: one that a scorer knows, else by the rules of all kinds."""
        if record.status == "finished" and record.scores.get(PRIMARY, 1.0) < 1:
            own = own_fault(self.scorers, task, episode)
            if own is not None:
                return own
        # Scorers without known tools have faults that no rule finds.
        knowing = next((scorer for scorer in self.scorers if isinstance(scorer, KnowsTools)), None)
        return diagnose(task, record, episode, writing=knowing.writing_tools) if knowing else None

    def _expected(self, task: Task, episode: EpisodeResult) -> tuple[ChangeEntry, ...]:
        """The expected changes, as far as a scorer knows."""
        knowing = next((scorer for scorer in self.scorers if isinstance(scorer, KnowsExpected)), None)
        return change_entries(knowing.expected(task, episode.outcome)) if knowing else ()


def _counting_verdict(record: EpisodeRecord) -> EpisodeRecord:
    """The record of a task that judges decide; not graded if none gave a level.

    Raises:
        InputError: no judge was asked.
    """
    if JUDGE not in record.scores:
        if not record.judgements:
            raise InputError(
                "a judge's verdict is part of its outcome, and no judge is named",
                where=f"task {record.task_id}",
                hint="name a model with --judge",
            )
        error = f"no judge gave a level: {record.judgements[0].feedback.partition(chr(10))[0]}"
        failed = {"status": "harness_error", "error": writable(error), "scorer_failed": True}
        return record.model_copy(update=failed)
    scores, fault = with_verdict(record.scores), record.fault
    if fault is None and scores[PRIMARY] < 1:
        said = next((each.feedback for each in record.judgements if each.feedback), "")
        fault = FaultEntry(kind="judged_low", detail=writable(said)[:200])
    return record.model_copy(update={"scores": scores, "fault": fault})


def _episode_of(prediction: Any, program: Any) -> EpisodeResult:
    if isinstance(prediction, EpisodeResult):
        return prediction
    episode: EpisodeResult | None = getattr(prediction, "episode", None)
    if episode is None:
        raise InputError(
            "the program's prediction has no episode",
            where=getattr(program, "__name__", type(program).__name__),
            hint="return episode.finished(answer), or a dspy.Prediction that has it as `episode`",
        )
    return episode


def _with_usage(episode: EpisodeResult, meter: Meter) -> EpisodeResult:
    """The episode with what the meter counted; the program's own report counts only if there is nothing."""
    if meter.usage == Usage():
        return episode
    return replace(episode, usage=meter.usage, model_calls=episode.model_calls or meter.answers)


def _for_trial(lm: Any, seed: int, trial: int) -> Any:
    """The model for one trial: later trials must not be answered from the cache of the first.

    DSPy caches by request; a rollout id makes equal requests differ. At temperature 0 there is nothing
    to sample, so the model stays as it is.
    """
    rollout = seed * 1_000_003 + trial
    if lm is None or rollout == 0 or getattr(lm, "kwargs", {}).get("temperature") == 0:
        return lm
    return lm.copy(rollout_id=rollout) if hasattr(lm, "copy") else lm
