"""Tasks of a suite for agents that run elsewhere and call in."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.own_agents.model import own_models
from worksmith.programs.own_agents.opened import OpenedTask
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.own_agents.task import AgentTask, Answer

if TYPE_CHECKING:
    from worksmith.evals.records.logs.log import EpisodeLog
    from worksmith.evals.records.record import EpisodeRecord, WorkUnit
    from worksmith.evals.suite import Suite


class Sessions:
    """Opens tasks of one suite, any number at once, from any thread.

    Args:
        toolset: the tools on offer, see `OwnAgent`.
        with_finish: see `AgentTools`.
        log: takes the record of each session. Tasks with a record in it may be left out, see `recorded`.

    Raises:
        InputError: the toolset is unknown.
    """

    def __init__(
        self,
        suite: Suite,
        *,
        name: str,
        toolset: str | None = None,
        max_steps: int = 20,
        with_finish: bool = False,
        trials: int = 1,
        log: EpisodeLog | None = None,
    ) -> None:
        self.suite = suite
        self._log = log
        self._offer: dict[str, Any] = {"toolset": toolset, "max_steps": max_steps, "with_finish": with_finish}
        self._lock = threading.Lock()
        agent = OwnAgent(_elsewhere, suite.env, name=name, toolset=toolset, max_steps=max_steps)
        settings = EvalSettings(env=suite.env, lm=own_models(), trials=trials, strategy=name)
        self._job = RolloutJob(agent, settings)

    def open(self, task_id: str, *, trial: int = 0) -> Session:
        """Open a task in a new episode.

        Raises:
            InputError: the suite has no such task.
        """
        task = self.suite.task(task_id)
        opened = OpenedTask(self.suite.env, task.visible(), **self._offer)
        return Session(self, opened, self._job.unit(task, trial))

    def recorded(self, task_id: str, *, trial: int = 0) -> EpisodeRecord | None:
        """The graded record of an episode in the log."""
        if self._log is None:
            return None
        return self._log.finished(self._job.unit(self.suite.task(task_id), trial).key)

    def _close(self, session: Session, returned: Answer | str, failure: Exception | None) -> EpisodeRecord:
        opened, usage = session.opened, session.task.usage
        answer, ended = opened.ended(returned, failure)
        calls = usage.requests
        episode = opened.result(answer, ended, usage.total(unknown=True), model_calls=calls)
        record = self._job.record(session.unit, self.suite.task(session.task.id), episode)
        if self._log is not None:
            with self._lock:
                self._log.append(record)
        return record


class Session:
    """One task that is open for an agent."""

    def __init__(self, sessions: Sessions, opened: OpenedTask, unit: WorkUnit) -> None:
        self.opened, self.unit = opened, unit
        self._sessions, self._lock = sessions, threading.Lock()
        self._record: EpisodeRecord | None = None

    @property
    def task(self) -> AgentTask:
        return self.opened.task

    def close(self, answer: Answer | str | None = None, *, failure: Exception | None = None) -> EpisodeRecord:
        """End the episode, score it and record it. A second time gives the same record.

        Args:
            answer: None for that of `finish`, or an empty one.
            failure: the exception that ended the agent.

        Raises:
            InputError: a scorer cannot be used, or the record cannot be written.
        """
        with self._lock:
            if self._record is None:
                self._record = self._sessions._close(self, "" if answer is None else answer, failure)
            return self._record


def _elsewhere(task: AgentTask) -> str:
    """Stands for the agent, which runs elsewhere."""
    raise AssertionError(f"the agent of task {task.id} runs elsewhere")
