"""A worker: runs the episodes that a driver sends, each in a thread, and asks the driver for replies."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

import dspy
from dspy import lm15

from worksmith.evals.lm.lm_proxy import Sample
from worksmith.evals.running.engines.messages import (
    AskModel,
    Done,
    Forget,
    FromWorker,
    Load,
    Ready,
    Reply,
    RunEpisode,
    raisable,
    sendable,
)
from worksmith.evals.running.engines.shipping import AnswerError, ShippedAnswer, opened
from worksmith.evals.running.episode_worker import EpisodeWorker
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.files.secrets import described

_SESSION = "worksmith_session"
"""The name of the session in use among DSPy's settings, which reach the threads that DSPy starts."""


class Worker:
    """One worker process.

    Args:
        send: sends a message to the driver; called from many threads.
    """

    def __init__(self, send: Callable[[FromWorker], None]) -> None:
        self._send = send
        self._works: dict[int, _Work] = {}
        self._replies: dict[tuple[int, int], queue.SimpleQueue[Reply]] = {}
        self._numbers = 0
        self._lock = threading.Lock()
        send(Ready())

    def take(self, message: Any) -> None:
        """Take a message of the driver; never waits for an episode."""
        if isinstance(message, Reply):
            waiting = self._replies.pop((message.session, message.number), None)
            if waiting is not None:
                waiting.put(message)
        elif isinstance(message, RunEpisode):
            work = self._works[message.work]
            threading.Thread(target=self._run, args=(work, message), daemon=True).start()
        elif isinstance(message, Load):
            self._works[message.work] = _Work(message.payload, self._ask)
        elif isinstance(message, Forget):
            self._works.pop(message.work, None)

    def _run(self, work: _Work, order: RunEpisode) -> None:
        try:
            done = Done(order.session, work.run(order))
        except BaseException as error:
            done = Done(order.session, failure=sendable(error))
        try:
            self._send(done)
        except Exception as error:  # else the driver would wait for ever
            refused = InputError(
                f"the record of an episode cannot be sent to another process: {described(error)}",
                hint="define its classes in a module, or leave the engine out",
            )
            self._send(Done(order.session, failure=sendable(refused)))

    def _ask(self, model: int, request: lm15.Request, sample: Sample) -> ShippedAnswer:
        session: int | None = dspy.settings.get(_SESSION)
        if session is None:
            raise InputError(
                "the program asks a model in a thread that does not know its episode",
                hint="start the thread under contextvars.copy_context().run, or leave the engine out",
            )
        waiting: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        with self._lock:
            self._numbers += 1
            number = self._numbers
        self._replies[session, number] = waiting
        self._send(AskModel(session, number, model, request, sample))
        reply = waiting.get()
        if reply.response is None:
            assert reply.failure is not None, "a reply or its failure"
            raise AnswerError(raisable(reply.failure), reply.usage)
        return ShippedAnswer(reply.response, reply.usage, reply.answers)


class _Work:
    """The work of episodes, opened with the first one."""

    def __init__(self, payload: bytes, ask: Callable[[int, lm15.Request, Sample], ShippedAnswer]) -> None:
        self._payload = payload
        self._ask = ask
        self._lock = threading.Lock()
        self._opened: tuple[EpisodeWorker, dict[str, Any]] | None = None

    def run(self, order: RunEpisode) -> Any:
        work, inherited = self._open()
        with (
            dspy.context(**inherited, **{_SESSION: order.session}),
            work.asking(order.unit.trial, None) as used,
        ):
            used.add(order.paid)
            return work.run(order.unit, order.task, used)

    def _open(self) -> tuple[EpisodeWorker, dict[str, Any]]:
        with self._lock:
            if self._opened is None:
                try:
                    self._opened = opened(self._payload, self._ask)
                except (InputError, InfrastructureError):
                    raise
                except Exception as error:
                    raise InputError(
                        f"a worker process cannot open the program: {described(error)}",
                        hint="install its modules where the workers run, or leave the engine out",
                    ) from error
            return self._opened
