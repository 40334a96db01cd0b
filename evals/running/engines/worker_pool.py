"""The driver's side: episodes are given to workers, and their questions to models are answered here."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, Self
from weakref import WeakKeyDictionary

from dspy.clients.errors import error_boundary

from worksmith.evals.lm.escapes import answering
from worksmith.evals.lm.metering import metering
from worksmith.evals.lm.replies.episodes import asking_again
from worksmith.evals.records.recording import record_lost
from worksmith.evals.running.engines.messages import (
    AskModel,
    Done,
    Forget,
    Load,
    Ready,
    Reply,
    RunEpisode,
    ToWorker,
    raisable,
    sendable,
)
from worksmith.evals.running.engines.shipping import Shipped, shipped
from worksmith.tools.errors import InfrastructureError, WorksmithError

if TYPE_CHECKING:
    from worksmith.evals.lm.metering import Meter
    from worksmith.evals.records.record import EpisodeRecord, WorkUnit
    from worksmith.evals.running.engines.store import SuiteStore
    from worksmith.evals.running.episode_worker import EpisodeWorker
    from worksmith.evals.tasks.task import Task

TRIES = 3
"""Workers that may end during one attempt at an episode; then the attempt is lost."""

STARTING = 600.0
"""Seconds until a worker that is not ready is given up; a cluster may need to start a machine for it."""

ENDING = 30.0
"""Seconds to wait for the last messages of workers that are ended."""

HANGING = 10.0
"""Seconds that a worker has after the time limit of an episode to end it."""

_PAUSE = 1.0
"""Seconds until the place is filled of a worker that ended before it had an episode."""


class Link(Protocol):
    """A worker process, as the driver sees it."""

    def send(self, message: ToWorker) -> None:
        """Send a message; to a worker that has ended it is lost."""
        ...

    def receive(self) -> Any:
        """The next message.

        Raises:
            EOFError: the worker has ended.
        """
        ...

    def close(self) -> None: ...


class WorkerPool:
    """Worker processes that share the episodes; see `worksmith.evals.running.episode_engine.EpisodeEngine`.

    A worker that ends is replaced, and its episodes begin again in another one, from the replies that they
    have got. As a context manager it starts the workers, and ends them at the end.

    Args:
        store: where they get environments from; None for the folders that the driver has.
    """

    def __init__(self, start: Callable[[], Link], size: int, store: SuiteStore | None = None) -> None:
        self._start = start
        self._store = store
        self._shipped: WeakKeyDictionary[EpisodeWorker, tuple[int, Shipped]] = WeakKeyDictionary()
        self._shipping = threading.Lock()
        self._works, self._sessions = count(), count()
        self._suspects = threading.Lock()
        # Guards those below; waiting threads are woken when a worker starts or cannot.
        self._changed = threading.Condition()
        self._hands: list[_Hand] = []
        self._keepers: list[threading.Thread] = []
        self._kept = 0
        self._failure: Exception | None = None
        self._closed = True
        self._size = size

    def __enter__(self) -> Self:
        self._closed = False
        self._kept = self._size
        self._keepers = [
            threading.Thread(target=self._keep_one, daemon=True, name="worksmith-worker")
            for _ in range(self._size)
        ]
        for keeper in self._keepers:
            keeper.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def links(self) -> list[Link]:
        with self._changed:
            return [hand.link for hand in self._hands if hand.ready]

    def run(self, work: EpisodeWorker, unit: WorkUnit, task: Task, used: Meter) -> EpisodeRecord:
        number, sent = self._ship(work)
        started = time.perf_counter()
        for attempt in range(1, TRIES + 1):
            # One at a time, so that an episode that ends its workers takes no other one along for good.
            alone = self._suspects if attempt == TRIES else nullcontext()
            used.check()
            with alone, asking_again(), self._hand() as hand:
                order = RunEpisode(next(self._sessions), number, unit, task, used.usage.paid)
                done = hand.run(order, sent, used, self._live)
            if done is None:
                continue
            if done.failure is not None:
                raise raisable(done.failure)
            assert done.record is not None, "a record or a failure"
            return done.record
        return record_lost(
            unit,
            task,
            "harness_error",
            labels=work.kind.labels(task),
            error=f"{TRIES} worker processes ended during the episode",
            seconds=time.perf_counter() - started,
            model_calls=used.answers,
            usage=used.usage,
        )

    def close(self) -> None:
        """End all workers, and wait until no thread takes messages of one."""
        with self._changed:
            self._closed = True
            hands = list(self._hands)
            self._changed.notify_all()
        for hand in hands:
            hand.link.close()
        for keeper in self._keepers:
            keeper.join(ENDING)

    def wait_ready(self) -> None:
        """Wait until a worker has started.

        Raises:
            Exception: no worker can start.
        """
        with self._hand():
            pass

    def _ship(self, work: EpisodeWorker) -> tuple[int, Shipped]:
        with self._shipping:
            if work not in self._shipped:
                self._shipped[work] = next(self._works), shipped(work, self._store)
            return self._shipped[work]

    def _live(self) -> set[int]:
        """The numbers of works that may run again."""
        with self._shipping:
            return {number for number, _ in self._shipped.values()}

    @contextmanager
    def _hand(self) -> Iterator[_Hand]:
        """The worker with the fewest episodes, once there is one, with one more in this block."""
        with self._changed:
            while not (ready := [hand for hand in self._hands if hand.ready]) or self._closed:
                if self._closed:
                    raise WorksmithError("the workers have ended")
                if self._failure is not None and not self._kept:
                    raise self._failure
                self._changed.wait()
            hand = min(ready, key=lambda each: each.busy)
            hand.busy += 1
        try:
            yield hand
        finally:
            with self._changed:
                hand.busy -= 1

    def _keep_one(self) -> None:
        """Keep one worker alive, and take its messages; in a separate thread."""
        while not self._closed:
            try:
                hand = _Hand(self._start())
            except Exception as error:
                self._fail(error)
                return
            with self._changed:
                self._hands.append(hand)
                closed = self._closed
            if closed:
                hand.link.close()
            late = threading.Timer(STARTING, hand.link.close)
            late.daemon = True
            late.start()
            started = hand.start()
            late.cancel()
            if not started:
                self._remove(hand)
                words = f"a worker process ended before it was ready, or was not ready after {STARTING:g} s"
                self._fail(InfrastructureError(words))
                return
            with self._changed:
                self._changed.notify_all()
            hand.take_messages()
            self._remove(hand)  # first, else its episodes would try it again
            hand.end()
            if not hand.used:
                time.sleep(_PAUSE)

    def _remove(self, hand: _Hand) -> None:
        """Remove a worker that has ended, in any state."""
        with self._changed:
            self._hands.remove(hand)
            if not self._closed:
                hand.link.close()

    def _fail(self, error: Exception) -> None:
        """Keep one worker less, for it cannot start."""
        with self._changed:
            self._kept -= 1
            self._failure = error
            self._changed.notify_all()


class _Hand:
    """A worker with its episodes.

    Attributes:
        busy: the number of episodes that it has.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self.ready = False
        self.busy = 0
        self._lock = threading.Lock()
        self._loaded: set[int] = set()
        self._inboxes: dict[int, queue.SimpleQueue[AskModel | Done | None]] = {}
        self._ended = False

    @property
    def used(self) -> bool:
        """Whether it ever had an episode."""
        return bool(self._loaded)

    def start(self) -> bool:
        """Wait until the worker has started; False if it ended before."""
        with suppress(Exception):  # EOFError, or an unreadable message
            self.ready = isinstance(self.link.receive(), Ready)
        return self.ready

    def take_messages(self) -> None:
        """Take messages until the worker ends, or sends an unreadable message."""
        with suppress(Exception):
            while True:
                message = self.link.receive()
                inbox = self._inboxes.get(message.session)
                if inbox is not None:
                    inbox.put(message)

    def end(self) -> None:
        """Tell its episodes that the worker has ended."""
        with self._lock:
            self._ended = True
            for inbox in self._inboxes.values():
                inbox.put(None)

    def run(self, order: RunEpisode, sent: Shipped, used: Meter, live: Callable[[], set[int]]) -> Done | None:
        """Let the worker run an episode, and answer its questions; None if the worker ended.

        Args:
            live: gives the numbers of the works that the worker keeps.
        """
        inbox: queue.SimpleQueue[AskModel | Done | None] = queue.SimpleQueue()
        with self._lock:
            if self._ended:
                return None
            if order.work not in self._loaded:
                for gone in self._loaded - live():
                    self.link.send(Forget(gone))
                    self._loaded.remove(gone)
                self._loaded.add(order.work)
                self.link.send(Load(order.work, sent.payload))
            self._inboxes[order.session] = inbox
        try:
            self.link.send(order)
            while True:
                message = self._next(inbox, used)
                if not isinstance(message, AskModel):
                    return message
                self.link.send(_answer(message, sent))
        finally:
            with self._lock:
                del self._inboxes[order.session]

    def _next(self, inbox: queue.SimpleQueue[AskModel | Done | None], used: Meter) -> AskModel | Done | None:
        """The next message; the worker is ended if it comes long after the time of the episode.

        Such a worker hangs in a call, as do the episodes that wait for its sandbox.
        """
        while True:
            ended = used.ended
            try:
                return inbox.get(timeout=HANGING)
            except queue.Empty:
                if ended:
                    self.link.close()
                    return inbox.get()


def _answer(question: AskModel, sent: Shipped) -> Reply:
    """The reply of a model of this process, counted, limited and kept as any request here."""
    engine = sent.models[question.model]
    with metering() as meter:
        try:
            with answering(), error_boundary(engine.original.model, unexpected=True):
                response = engine.reply(question.request, question.sample)
        except Exception as error:
            failure = sendable(error)
            return Reply(question.session, question.number, meter.usage, meter.answers, failure=failure)
    return Reply(question.session, question.number, meter.usage, meter.answers, response)
