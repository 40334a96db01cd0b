"""Tasks of clients as rollouts of a program: bounded in number, time and cost, each with its events."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worksmith.evals.characters import harmless
from worksmith.evals.dspy_programs.asked import task_of
from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.metering import Meter
from worksmith.evals.lm.payer import AdmissionError
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.cost.limits import Limits
from worksmith.optimizers.cost.spending import Spent
from worksmith.tools.episode import following
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.serving.refusals import RequestError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.suite import Suite
    from worksmith.optimizers.cost.budget import Budget
    from worksmith.optimizers.cost.budget import Leave as PaidLeave
    from worksmith.serving.programs.settings import ServeProgramSettings
    from worksmith.tools.episode_result import CallRecord, EpisodeResult
    from worksmith.tools.persona import Persona

LATER = 5
"""Seconds after which a client that is refused for the number of tasks should try again."""
MUCH_LATER = 3600

_QUIET = 15.0
"""Seconds without an event after which a stream sends a sign of life, which proxies wait for."""


class BusyError(RequestError):
    """A request that may be accepted later.

    Attributes:
        seconds: until the client should try again.
    """

    def __init__(self, status: int, code: str, message: str, *, seconds: int) -> None:
        super().__init__(status, code, message)
        self.seconds = seconds


class TaskMeter(Meter):
    """Counts the usage of a task, and refuses requests at a limit or without a waiting client."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self.leave: PaidLeave | None = None
        self.reached = ""
        self.stopped = False

    @property
    def spent(self) -> Spent:
        """Calls, tokens and dollars so far."""
        return Spent() if self.leave is None else self.leave.took

    def end(self) -> None:
        self.stopped = True
        super().end()

    def check(self) -> None:
        super().check()
        self.reached = self.reached or self._limits.reached(self.spent, 0.0)
        if self.reached:
            raise AdmissionError(f"the task reached its limit {self.reached}")


@dataclass(frozen=True)
class Done:
    """The end of a task: an episode, or the error instead of one."""

    episode: EpisodeResult | None
    error: RequestError | None
    seconds: float


@dataclass
class Running:
    """A task in progress. Its events: a `CallRecord` for each call, then a `Done`.

    Attributes:
        overdue: when it is given up, on the event loop's clock.
    """

    id: str
    task: Task
    persona: Persona
    meter: TaskMeter
    overdue: float
    events: asyncio.Queue[CallRecord | Done] = field(default_factory=asyncio.Queue)

    def stop(self) -> None:
        """Let the program ask no more; its thread ends at the next request."""
        self.meter.end()

    async def steps(self) -> AsyncIterator[CallRecord | Done | None]:
        """The events until the end, and None after each quiet while. A caller that goes away stops the task.

        Raises:
            RequestError: the time limit has passed.
        """
        clock, ended = asyncio.get_running_loop().time, False
        try:
            while not ended:
                until = clock() + _QUIET
                found: CallRecord | Done | None = None
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(min(until, self.overdue)):
                        found = await self.events.get()
                if found is None and clock() >= self.overdue:
                    raise RequestError(504, "timeout", "The task took longer than its time limit")
                ended = isinstance(found, Done)
                yield found
        finally:
            if not ended:
                self.stop()


class Rollouts:
    """Runs tasks in threads.

    Args:
        settings: have the limits of tasks.
        budget: of the server; counts what tasks take.
        started: called for each task that starts.
        ended: called with the record of each ended task, in its thread.
        recorded: whether records are wanted.
    """

    def __init__(
        self,
        suite: Suite,
        program: Any,
        lm: dspy.LM,
        settings: ServeProgramSettings,
        *,
        budget: Budget,
        started: Callable[[], None],
        ended: Callable[[Running, Done, EpisodeRecord | None], None],
        recorded: bool,
    ) -> None:
        self.suite, self.budget = suite, budget
        self._settings = settings
        self._limits = Limits(settings.task_max_calls, settings.task_max_tokens, settings.task_max_usd)
        self._started, self._ended, self._recorded = started, ended, recorded
        self._account = budget.account(model_name(lm))
        self._job = RolloutJob(
            program, EvalSettings(env=suite.env, lm=lm, scorers=(), admission=self._account)
        )
        self.model = model_name(lm)
        self._lock = threading.Lock()
        self._running: dict[str, Running] = {}
        self._by_persona: Counter[str] = Counter()
        self._closed = False

    @property
    def in_flight(self) -> int:
        return len(self._running)

    @property
    def ready(self) -> bool:
        """Whether a task would be started, were it not for the number of those in flight."""
        return not self._closed and not self.budget.reached()

    def start(self, text: str, toolkits: tuple[str, ...], persona: Persona) -> Running:
        """Start a task. Called from the event loop, where its events arrive.

        Raises:
            BusyError: there are too many, or the budget is spent.
            RequestError: it names no toolkit.
        """
        loop = asyncio.get_running_loop()
        task = self._task(text, toolkits, persona)
        overdue = loop.time() + self._settings.time_limit
        running = Running(task.id, task, persona, TaskMeter(self._limits), overdue)
        with self._lock:
            if not self.ready:
                raise _spent()
            if len(self._running) >= self._settings.in_flight:
                raise BusyError(503, "busy", "The server does as many tasks as it can", seconds=LATER)
            if self._by_persona[persona.id] >= self._settings.per_persona:
                raise BusyError(429, "too_many_tasks", "Too many tasks of yours are running", seconds=LATER)
            self._running[running.id] = running
            self._by_persona[persona.id] += 1
        self._started()
        threading.Thread(target=self._do, args=(running, loop), daemon=True, name="task").start()
        return running

    def close(self) -> None:
        """Start nothing more, and refuse requests of running tasks."""
        with self._lock:
            self._closed = True
            for running in self._running.values():
                running.stop()

    def _task(self, text: str, toolkits: tuple[str, ...], persona: Persona) -> Task:
        known = {kit.name for kit in self.suite.env.kind.toolkits}
        if unknown := sorted(set(toolkits) - known):
            raise RequestError(422, "invalid_request", f"There is no toolkit {unknown[0]!r}")
        given = task_of(text, self.suite.env, persona=persona, domains=toolkits)
        # The id is that of the task and of its traces; nothing of the result depends on it.
        return Task(**{**dict(given), "id": secrets.token_hex(16), "now": self.suite.env.now})

    def _do(self, running: Running, loop: asyncio.AbstractEventLoop) -> None:
        def tell(event: CallRecord | Done) -> None:
            try:
                loop.call_soon_threadsafe(running.events.put_nowait, event)
            except RuntimeError:  # the loop is closed, without listeners
                running.stop()

        started = time.monotonic()
        episode, error = self._episode(running, tell)
        done = Done(episode, error, time.monotonic() - started)
        try:
            self._ended(running, done, self._record(running, episode))
        finally:
            with self._lock:
                del self._running[running.id]
                self._by_persona[running.persona.id] -= 1
                if not self._by_persona[running.persona.id]:
                    del self._by_persona[running.persona.id]
            tell(done)

    def _episode(
        self, running: Running, tell: Callable[[CallRecord | Done], None]
    ) -> tuple[EpisodeResult | None, RequestError | None]:
        leave = self._account.admit(self._job.program_digest)
        if leave is None:
            return None, _spent()
        running.meter.leave = leave
        try:
            with leave, following(tell):
                unit = self._job.unit(running.task, 0)
                episode = self._job.episode(unit, running.task, running.meter)
        except AdmissionError:
            episode = None
        except InputError as error:
            return None, failed(500, "not_set_up", "The server is not set up for this task", str(error))
        except Exception as error:
            return None, failed(500, "defect", "The task met a defect of the server", repr(error))
        if running.meter.reached:
            message = f"The task reached its limit: {running.meter.reached}"
            return None, RequestError(429, "task_limit", message)
        if leave.cut_short or (episode is None and self.budget.stopped):
            return None, _spent()
        if episode is None or running.meter.stopped:
            return None, RequestError(503, "stopped", "The task was stopped")
        return episode, None

    def _record(self, running: Running, episode: EpisodeResult | None) -> EpisodeRecord | None:
        if episode is None or not self._recorded:
            return None
        try:
            return self._job.record(self._job.unit(running.task, 0), running.task, episode)
        except Exception as error:
            failed(500, "defect", "A task could not be recorded", repr(error))
            return None


def _spent() -> BusyError:
    return BusyError(503, "budget_spent", "The server takes no more tasks for now", seconds=MUCH_LATER)


def failed(status: int, code: str, message: str, why: str) -> RequestError:
    """A failure of which the client gets a number, and the operator the reason."""
    import sys

    number = secrets.token_hex(6)
    print(f"error {number}: {harmless(without_secrets(why))}", file=sys.stderr)  # noqa: T201
    return RequestError(status, code, f"{message} (error {number})")
