"""The episodes of clients: each connection has one at a time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worksmith.programs.own_agents.tools import ENDED
from worksmith.tools.dispatch import Observation
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.programs.own_agents.mcp_server import OfferedTool
    from worksmith.programs.own_agents.opened import OpenedTask
    from worksmith.programs.own_agents.sessions import Session, Sessions
    from worksmith.programs.own_agents.task import AgentTask

NEXT = "next_task"

NONE_LEFT = "There are no more tasks."

Open = Callable[[], "ClientEpisode"]
"""Opens the episode of a new connection; raises `InputError` without one."""


class ClientEpisode(ABC):
    """The episode of one connection, as `worksmith.programs.own_agents.mcp_server.tool_server` offers it."""

    instructions: str
    """For the client's model: who asks, the clock, how the task ends, and the task."""

    prompt: Callable[[], str] | None = None
    """Gives the text of the present task; None without a task."""

    @abstractmethod
    def __iter__(self) -> Iterator[OfferedTool]:
        """The tools."""

    @abstractmethod
    def observe(self, name: str, arguments: Any) -> Observation:
        """Call a tool; mistakes give an observation."""

    @abstractmethod
    def close(self) -> None:
        """End the episode. A second time does nothing."""


class FreeEpisode(ClientEpisode):
    """An episode without a task: it gets no score."""

    def __init__(self, opened: OpenedTask) -> None:
        self._tools = opened.task.tools
        self.instructions = f"Do what the user says, with the tools.\n\n{opened.task.context}"

    def __iter__(self) -> Iterator[OfferedTool]:
        return iter(self._tools)

    def observe(self, name: str, arguments: Any) -> Observation:
        return self._tools.observe(name, arguments)

    def close(self) -> None:
        self._tools.end()


@dataclass(frozen=True)
class _NextTask:
    name: str = NEXT
    description: str = "End the present task, and get the next one."

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {}, "additionalProperties": False}


class Tasks:
    """Hands out tasks, each as an episode of a connection. Threads may use it.

    Args:
        order: task ids, each with the number of the trial.
        several: whether a connection goes on with the next task, by the tool `next_task`.
        report: gets the record of each episode that has ended.
    """

    def __init__(
        self,
        sessions: Sessions,
        order: Iterable[tuple[str, int]],
        *,
        several: bool,
        report: Callable[[EpisodeRecord], None],
    ) -> None:
        self.several, self.report = several, report
        self._sessions, self._order, self._lock = sessions, iter(order), threading.Lock()

    def next(self) -> Session | None:
        """Open the next task that has no record in the log; None without one."""
        with self._lock:
            for task_id, trial in self._order:
                if self._sessions.recorded(task_id, trial=trial) is None:
                    return self._sessions.open(task_id, trial=trial)
            return None

    def open(self) -> TaskEpisode:
        """The episode of a new connection.

        Raises:
            InputError: all tasks have been handed out.
        """
        session = self.next()
        if session is None:
            raise InputError("all tasks have a record in the log, or are being done", where="--all-tasks")
        return TaskEpisode(self, session)


class TaskEpisode(ClientEpisode):
    """The episode of a task, which is scored when it ends, and those of further tasks after it."""

    def __init__(self, tasks: Tasks, session: Session) -> None:
        self._tasks, self._session = tasks, session
        self._lock = threading.RLock()
        self._closed = self._reported = False
        self.instructions = self._text()
        self.prompt = self._text

    def __iter__(self) -> Iterator[OfferedTool]:
        yield from self._task.tools
        if self._tasks.several:
            yield _NextTask()

    def observe(self, name: str, arguments: Any) -> Observation:
        with self._lock:
            if name == NEXT and self._tasks.several:
                return self._next(arguments)
            seen = self._task.tools.observe(name, arguments)
            if self._task.tools.answer is not None:
                self._end()
            return seen

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._end()

    @property
    def _task(self) -> AgentTask:
        return self._session.task

    def _next(self, arguments: Any) -> Observation:
        if arguments:
            return _refused(f"{NEXT} takes no arguments")
        if self._closed:
            return _refused(ENDED)
        self._end()
        session = self._tasks.next()
        if session is None:
            return Observation("ok", NONE_LEFT, NONE_LEFT)
        self._session, self._reported = session, False
        text = self._text()
        return Observation("ok", text, text)

    def _end(self) -> None:
        record = self._session.close()
        if not self._reported:
            self._reported = True
            self._tasks.report(record)

    def _text(self) -> str:
        task = self._task
        return f"{task.instructions}\n\nThe task: {task.text}"


def _refused(text: str) -> Observation:
    return Observation("bad_arguments", text, text)
