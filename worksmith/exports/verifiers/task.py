"""A task as verifiers' `Task`: each rollout has its own episode, and the reward is its outcome."""

from __future__ import annotations

import asyncio
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import verifiers.v1 as vf
from pydantic import PrivateAttr

from worksmith.evals.records.record import PRIMARY, EpisodeRecord
from worksmith.evals.suite import Suite
from worksmith.programs.own_agents.opened import StepLimitError
from worksmith.programs.own_agents.sessions import Session, Sessions
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from worksmith.tools.statuses import EpisodeStatus

Result = TypeVar("Result")

INFO = "worksmith"
"""The key of `Trace.info` with the episode's end."""

_SHOWN = {"task_id", "status", "answer", "answer_status", "error", "scores", "steps", "fault"}


class SuiteTaskConfig(vf.TaskConfig):
    """The settings that a rollout depends on.

    Attributes:
        suite: the folder of the suite.
        digest: of the suite; another one is refused. Empty for any.
        toolset: the tools on offer, see `ws.OwnAgent`.
    """

    suite: Path | None = None
    digest: str = ""
    toolset: str | None = None

    def sessions(self) -> Sessions:
        """The tasks of the suite, opened once for each process.

        Raises:
            InputError: no suite is named, or there is none, or another one, or no such toolset.
        """
        if self.suite is None:
            hint = "give --env.taskset.task.suite FOLDER"
            raise InputError("no suite is named", where="taskset.task.suite", hint=hint)
        with _OPENING:  # a server of environments starts with many rollouts at once
            sessions = _sessions(self.suite.absolute(), self.toolset)
        if self.digest not in ("", sessions.suite.digest):
            hint = "export it again"
            raise InputError("the suite is another one than was exported", where=str(self.suite), hint=hint)
        return sessions


_OPENING = threading.Lock()


@lru_cache(maxsize=16)
def _sessions(suite: Path, toolset: str | None) -> Sessions:
    return Sessions(Suite.open(suite), name="verifiers", toolset=toolset)


class OutOfTimeError(Exception):
    """The runner's clock stopped the agent."""

    episode_status: EpisodeStatus = "timeout"


class EpisodeState(vf.State):
    """The episode of one rollout; no part of it is sent to other processes.

    Attributes:
        session: the open task.
    """

    _session: Session | None = PrivateAttr(None)
    _answer: str = PrivateAttr("")
    _failure: Exception | None = PrivateAttr(None)

    @property
    def session(self) -> Session:
        if self._session is None:
            raise InputError("the rollout has no open task", hint="take a taskset of worksmith")
        return self._session

    async def open(self, config: SuiteTaskConfig, task_id: str) -> None:
        def work() -> None:
            self._session = config.sessions().open(task_id)

        await in_thread(work)

    def end(self, answer: str = "", failure: Exception | None = None) -> None:
        """Keep the last message, or what ended the agent."""
        self._answer, self._failure = answer, failure

    async def close(self) -> EpisodeRecord:
        """End the episode and score it. A second time gives the same record."""
        session = self.session
        return await in_thread(lambda: session.close(self._answer, failure=self._failure))

    async def abandon(self) -> None:
        """End an episode that nobody scores, unless it has ended, or there is none."""
        if self._session is not None:
            self._failure = self._failure or RuntimeError("the rollout was given up")
            await self.close()


RolloutTrace: TypeAlias = vf.Trace[Any, Any, Any]
"""The trace of a rollout, whose state is an `EpisodeState`."""


class SuiteTask(vf.Task[vf.TaskData, EpisodeState, SuiteTaskConfig]):
    """One task. Its data are the prompts; the expectation stays in the suite."""

    @property
    def key(self) -> str:
        return self.data.id or self.hash

    async def setup(self, trace: RolloutTrace, runtime: vf.Runtime) -> None:
        await trace.state.open(self.config, self.key)

    async def finalize(self, trace: RolloutTrace, runtime: vf.Runtime) -> None:
        """End the episode and keep its scores.

        Raises:
            TaskError: the episode is lost, so that it has no score.
        """
        if trace.is_timeout:
            trace.state.end(failure=OutOfTimeError(trace.stop_condition))
        elif trace.stop_condition == "max_turns":
            trace.state.end(failure=StepLimitError("the agent was stopped at its limit of turns"))
        record = await trace.state.close()
        trace.info[INFO] = {**record.model_dump(mode="json", include=_SHOWN), "metrics": _metrics(record)}
        if not record.graded:
            raise vf.TaskError(f"the episode is lost and has no score: {record.status}: {record.error}")

    @vf.reward
    async def outcome(self, trace: RolloutTrace) -> float:
        """Whether the task is done, and nothing else."""
        return float(trace.info[INFO]["scores"][PRIMARY])

    @vf.metric
    async def episode(self, trace: RolloutTrace) -> dict[str, float]:
        """The other scores, and the numbers of calls."""
        return dict(trace.info[INFO]["metrics"])


def _metrics(record: EpisodeRecord) -> dict[str, float]:
    scores = {name: score for name, score in record.scores.items() if name != PRIMARY}
    failed = sum(call.status != "ok" for call in record.calls)
    return {**scores, "calls": float(len(record.calls)), "failed_calls": float(failed)}


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run blocking work, and wait for its end even when cancelled, so that no episode is left half open."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
