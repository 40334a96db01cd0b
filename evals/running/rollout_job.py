"""One episode from start to record: run, scored, and told apart from what the infrastructure failed at."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evals.dspy_programs.asked import given_to
from evals.dspy_programs.code import code_digest
from evals.dspy_programs.digests import model_digest, program_digest, scorers_digest
from evals.dspy_programs.own_models import with_models
from evals.failure_modes.diagnosis import diagnose
from evals.lm.failures import failure_of
from evals.records.parts import ChangeEntry
from evals.records.record import (
    PRIMARY,
    Digests,
    EpisodeRecord,
    WorkUnit,
    change_entries,
    record_episode,
    record_lost,
)
from evals.running.judges import Judge, ask_judges
from evals.scoring.scorer import KnowsExpected, KnowsTools, Scorer, scores_of
from tools.episode_result import EpisodeResult, Usage
from tools.errors import InputError
from tools.files.secrets import described
from tools.files.unicode import writable
from tools.outcome import Outcome

if TYPE_CHECKING:
    from evals.lm.metering import Meter
    from evals.running.admission import Admission
    from evals.tasks.task import Task
    from tools.environment import Environment


@dataclass
class Work:
    """What all episodes of one evaluation share."""

    program: Callable[..., Any]
    env: Environment
    lm: Any
    scorers: Sequence[Scorer] | None
    strategy: str
    seed: int
    judges: Sequence[Judge] = ()
    admission: Admission | None = None
    program_digest: str = ""
    _models: dict[int, Any] = field(default_factory=dict)
    _meters: dict[str, Meter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import dspy

        self.lm = self.lm if self.lm is not None else dspy.settings.lm
        self.program_digest = program_digest(self.program)
        self._code_digest = code_digest(self.program)
        self._model_digest = model_digest(self.lm)
        if self.scorers is None:
            from evals.scoring.scorers import scorers_for

            self.scorers = scorers_for(self.env)
        from evals.lm.metering import metered

        # Whatever model is asked is counted, those that the program holds itself as well.
        counted = self.admission.counted if self.admission is not None else metered
        self._asked = None if self.lm is None else counted(self.lm)
        self._counting = with_models(self.program, counted)
        self._scorers_digest = scorers_digest([*self.scorers, *self.judges])

    def unit(self, task: Task, trial: int) -> WorkUnit:
        """What identifies one episode of it."""
        self._models.setdefault(trial, _for_trial(self._asked, self.seed, trial))
        digests = Digests(
            program=self.program_digest,
            code=self._code_digest,
            task=task.digest,
            world=self.env.digest,
            model=self._model_digest,
            scorers=self._scorers_digest,
        )
        return WorkUnit(task_id=task.id, strategy=self.strategy, seed=self.seed, trial=trial, digests=digests)

    def run(self, owed: tuple[WorkUnit, Task]) -> EpisodeRecord:
        """One episode from start to record. Raises only what must end the whole evaluation."""
        import dspy

        from evals.lm.lm_proxy import UnmeteredModels
        from evals.lm.metering import metering

        unit, task = owed
        started = time.perf_counter()
        # A trace, history and usage tracker of its own: shared ones grow without bound and mix threads.
        with (
            metering() as meter,
            dspy.context(
                lm=self._models[unit.trial], trace=[], disable_history=True, usage_tracker=UnmeteredModels()
            ),
        ):
            self._meters[unit.key] = meter
            try:
                prediction = self._counting(task=given_to(self.program, task))
            except InputError:
                raise
            except Exception as error:
                episode = self._broken_off(error, time.perf_counter() - started)
                return self.record(unit, task, _with_usage(episode, meter), raised=True)
            return self.record(unit, task, _with_usage(self._episode(prediction), meter))

    def record(
        self, unit: WorkUnit, task: Task, episode: EpisodeResult, *, raised: bool = False
    ) -> EpisodeRecord:
        """The record of an episode that has run: scored, its fault found, judged.

        Args:
            raised: the program gave no episode back; its outcome is wrong, whatever a scorer says.
        """
        return ask_judges(self.judges, task, self._graded(unit, task, episode, raised))

    def overdue(self, owed: tuple[WorkUnit, Task], time_limit: float) -> EpisodeRecord:
        """The record of an episode that ran past `time_limit` seconds, with what was counted until then."""
        unit, task = owed
        meter = self._meters.get(unit.key)
        return record_lost(
            unit,
            task,
            "timeout",
            error=f"no result after {time_limit:g} s",
            seconds=time_limit,
            model_calls=meter.answers if meter else 0,
            usage=meter.usage if meter else Usage(),
        )

    def _broken_off(self, error: Exception, seconds: float) -> EpisodeResult:
        """The episode of a program that raised: what it had changed is lost with it."""
        ended, nothing = failure_of(error), Outcome(b"", ())
        return EpisodeResult(
            ended.status, nothing, seconds=seconds, error=ended.error, traceback=ended.traceback
        )

    def _episode(self, prediction: Any) -> EpisodeResult:
        episode: EpisodeResult | None = getattr(prediction, "episode", None)
        if episode is None:
            raise InputError(
                "the program's prediction has no episode",
                where=type(self.program).__name__,
                hint="return dspy.Prediction(answer=..., episode=EpisodeResult(...))",
            )
        return episode

    def _graded(self, unit: WorkUnit, task: Task, episode: EpisodeResult, raised: bool) -> EpisodeRecord:
        record = record_episode(unit, task, episode, scores={})
        if not record.graded:
            return record
        expected: tuple[ChangeEntry, ...] = ()
        try:
            scores = scores_of(self.scorers or (), task, episode)
            if raised:
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
        return self._diagnosed(task, scored, episode)

    def _diagnosed(self, task: Task, record: EpisodeRecord, episode: EpisodeResult) -> EpisodeRecord:
        """The record with what went wrong, if anything did; other scorers say themselves what is wrong."""
        knowing = next((scorer for scorer in self.scorers or () if isinstance(scorer, KnowsTools)), None)
        if knowing is None:
            return record
        fault = diagnose(task, record, episode, writing=knowing.writing_tools)
        return record.model_copy(update={"fault": fault}) if fault else record

    def _expected(self, task: Task, episode: EpisodeResult) -> tuple[ChangeEntry, ...]:
        """What should have changed, as far as a scorer knows."""
        knowing = next((scorer for scorer in self.scorers or () if isinstance(scorer, KnowsExpected)), None)
        return change_entries(knowing.expected(task, episode.outcome)) if knowing else ()


def _with_usage(episode: EpisodeResult, meter: Meter) -> EpisodeResult:
    """The episode with what was counted; a program says itself what it took only where nothing was."""
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
