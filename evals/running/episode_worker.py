"""The work of an episode that needs no log and no limits: the program runs, its episode is scored.

It does not depend on the process that does it, so an engine may do it in another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from worksmith.evals.failure_modes.diagnosis import diagnose
from worksmith.evals.lm.failures import failure_of
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.entries import ChangeEntry, FaultEntry
from worksmith.evals.records.record import PRIMARY, EpisodeRecord, WorkUnit
from worksmith.evals.records.recording import change_entries, record_episode
from worksmith.evals.running.emitted_spans import emitted_spans
from worksmith.evals.scoring.objective import own_fault
from worksmith.evals.scoring.procedure import PROCEDURE, broken_rules
from worksmith.evals.scoring.scorer import KnowsExpected, KnowsTools, Scorer, scores_of
from worksmith.evals.task_kind import run_program, task_kind
from worksmith.tools.episode_result import EpisodeResult, Usage
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import described, without_secrets
from worksmith.tools.files.unicode import writable
from worksmith.tools.sqlite.outcome import Outcome

if TYPE_CHECKING:
    from worksmith.evals.lm.metering import Meter
    from worksmith.evals.task_kind import TaskKind
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.environment import Environment


@dataclass(frozen=True, eq=False)
class EpisodeWorker:
    """Runs and scores the episodes of one program.

    Attributes:
        program: with models that count their requests.
        models: of the trials.
        scorers: give the scores of each episode that is graded.
    """

    env: Environment
    program: Callable[..., Any]
    models: Sequence[Any]
    scorers: Sequence[Scorer]

    @property
    def kind(self) -> TaskKind:
        return task_kind(self.env.kind.name)

    @contextmanager
    def asking(self, trial: int, meter: Meter | None) -> Iterator[Meter]:
        """A block in which the models of an episode are asked and counted."""
        import dspy

        from worksmith.evals.lm.escapes import UnmeteredModels
        from worksmith.evals.lm.metering import metering

        # Its own trace, history and usage tracker: shared ones grow without bound and mix threads.
        with (
            metering(meter) as used,
            dspy.context(
                lm=self.models[trial], trace=[], disable_history=True, usage_tracker=UnmeteredModels()
            ),
        ):
            yield used

    def run(self, unit: WorkUnit, task: Task, used: Meter) -> EpisodeRecord:
        """The record of one episode, without judges; `used` is the meter of the block.

        Raises:
            InputError: no other episode would fare better.
            AdmissionError: the budget is spent.
        """
        episode, raised = self.episode(task, used)
        return self.record(unit, task, episode, raised=raised)

    def episode(self, task: Task, used: Meter) -> tuple[EpisodeResult, bool]:
        """The episode, and whether the program raised and gave no episode; errors as in `run`."""
        started, raised = time.perf_counter(), False
        with emitted_spans() as emitted:
            try:
                episode = _episode_of(run_program(self.program, task, self.env), self.program)
            except InputError:
                raise
            except (Exception, SystemExit) as error:
                # The program's changes are lost with it.
                raised, failure = True, failure_of(error)
                episode = EpisodeResult(
                    failure.status,
                    Outcome(b"", ()),
                    error=failure.error,
                    traceback=failure.traceback,
                )
        seconds = episode.seconds or time.perf_counter() - started  # a plain program measures nothing
        return replace(_with_usage(episode, used), spans=emitted.records(), seconds=seconds), raised

    def record(
        self, unit: WorkUnit, task: Task, episode: EpisodeResult, *, raised: bool = False
    ) -> EpisodeRecord:
        """The record of an episode that has run: scored and diagnosed.

        Args:
            raised: the program gave no episode back; its outcome is wrong for any scorer.
        """
        record = record_episode(unit, task, episode, scores={}, labels=self.kind.labels(task))
        return self._scored(record, task, episode, raised) if record.graded else record

    def _scored(
        self, record: EpisodeRecord, task: Task, episode: EpisodeResult, raised: bool
    ) -> EpisodeRecord:
        expected: tuple[ChangeEntry, ...] = ()
        try:
            try:
                scores = scores_of(self.scorers, task, episode)
            except UserCodeError as error:
                # An answer that the user's metric cannot take is wrong, as in DSPy.
                scores = dict(error.scores)
                record = record.model_copy(
                    update={"error": writable(without_secrets(str(error))), "scorer_failed": True}
                )
            if not task.checkable:
                scores.pop(PRIMARY, None)
            elif raised:
                scores[PRIMARY] = 0.0
            if scores.get(PRIMARY, 1.0) < 1:
                expected = self._expected(task, episode)
        except InputError:
            raise
        except Exception as error:
            # A broken scorer reveals nothing about the agent; the trajectory stays on record.
            failed = {
                "status": "harness_error",
                "error": writable(f"scorer: {described(error)}"),
                "scorer_failed": True,
            }
            return record.model_copy(update=failed)
        broken = broken_rules(self.scorers, task, episode) if scores.get(PROCEDURE, 1.0) < 1 else ()
        scored = record.model_copy(
            update={"scores": scores, "expected_changes": expected, "broken_rules": broken}
        )
        fault = None if scored.scorer_failed else self._fault(task, scored, episode)
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
        knowing = next((scorer for scorer in self.scorers if isinstance(scorer, KnowsExpected)), None)
        if knowing is None:
            return ()
        return change_entries(knowing.expected(task, episode.outcome).beside(episode.outcome))


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
    """The episode with the counts of the meter; the program's own report counts only if these are empty."""
    if meter.usage == Usage():
        return episode
    return replace(episode, usage=meter.usage, model_calls=episode.model_calls or meter.answers)
