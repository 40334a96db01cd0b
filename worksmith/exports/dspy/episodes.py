"""The episodes behind plain examples: their tools and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.suite import Suite
from worksmith.programs.own_agents.sessions import Session, Sessions
from worksmith.programs.own_agents.task import Answer
from worksmith.tools.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord

_RUNNING: ContextVar[Session] = ContextVar("running")


class Episodes:
    """Opens episodes for plain examples of a suite, and scores them.

    Args:
        suite: an open one, or its folder.

    Raises:
        InputError: the suite is missing.

    Example:
        >>> episodes = Episodes("helpdesk")
        >>> react = dspy.ReAct("query, context -> answer", tools=episodes.tools())
        >>> with episodes.open("close-2") as session:
        ...     answer = react(query=session.task.text, context=session.task.context).answer
        ...     done = dspy.Prediction(answer=answer, record=session.close(answer))
    """

    def __init__(self, suite: Suite | Path | str) -> None:
        self.suite = suite if isinstance(suite, Suite) else Suite.open(Path(suite))
        self._sessions = Sessions(self.suite, name="dspy", toolset="all")

    @contextmanager
    def open(self, task_id: str) -> Iterator[Session]:
        """A task in a new episode, in which the `tools` work in the block.

        Its `close(answer)` ends and scores the episode; leaving the block ends one that was not closed.

        Raises:
            InputError: the suite has no such task.
        """
        session = self._sessions.open(task_id)
        outer = _RUNNING.set(session)
        try:
            yield session
        finally:
            _RUNNING.reset(outer)
            session.task.tools.end()

    def tools(self) -> list[dspy.Tool]:
        """All tools, for a module that is made once: a call works in the episode of the block around it.

        Raises:
            InputError: in a call outside a block of `open`.
        """
        first = self._sessions.open(self.suite.tasks[0].id)
        return [
            dspy.Tool(_calling(tool.name), name=tool.name, desc=tool.desc, args=tool.args)
            for tool in first.task.tools.dspy()
        ]

    def metric(
        self,
        example: dspy.Example,
        prediction: dspy.Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> float | bool:
        """The outcome of an episode from 0 to 1; if an optimizer bootstraps, whether it is 1.

        Args:
            prediction: its `record` is that of the episode, as `Session.close` gives it. Without one, the
                `answer` (and the `status`, if there is one) is scored as that of an agent that made no call.

        Raises:
            InputError: the prediction has neither.
            InfrastructureError: the episode was lost to a model or the harness.
        """
        record = getattr(prediction, "record", None) or self._answered(example, prediction)
        if not record.graded:
            raise InfrastructureError(f"{record.status}: {record.error or 'the episode was lost'}")
        score = record.scores[PRIMARY]
        return score >= 1.0 if trace is not None else score

    def _answered(self, example: dspy.Example, prediction: dspy.Prediction) -> EpisodeRecord:
        answer = getattr(prediction, "answer", None)
        if answer is None:
            raise InputError(
                "the prediction has neither a record nor an answer",
                hint="return dspy.Prediction(answer=answer, record=session.close(answer))",
            )
        status = getattr(prediction, "status", None) or "answered"
        return self._sessions.open(example.id).close(Answer(str(answer), str(status)))


def _calling(name: str) -> Callable[..., str]:
    def call(**arguments: Any) -> str:
        session = _RUNNING.get(None)
        if session is None:
            raise InputError(
                "no episode is open here", where=name, hint="call it in `with episodes.open(id):`"
            )
        return session.task.tools.call(name, arguments)

    return call
