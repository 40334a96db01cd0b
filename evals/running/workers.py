"""A pool of threads that does each unit of work once, for work that mostly waits for a model.

Unlike an executor, the pool starts a unit only when a worker is free, can give up on a slow unit without
waiting for it, and never keeps the interpreter alive.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import Generic, TypeVar

U = TypeVar("U")
R = TypeVar("R")

_GRACE = 2.0
"""Seconds for units in flight to finish after an interruption."""


class Workers(Generic[U, R]):
    """A pool for some units of work.

    Args:
        work: does one unit, in a worker thread under a copy of the caller's context variables.
        overdue: makes the result of a unit that ran past `time_limit`, in the calling thread. The unit's
            thread cannot be stopped; its result is dropped.
        on_result: called in the calling thread with a unit and its result, in order of completion.
        time_limit: the seconds that a unit may take; None for no limit.
        begun: when a unit began that first waits for others, by `time.monotonic`; None while it waits.
            Without this function all begin as they are taken.
    """

    def __init__(
        self,
        work: Callable[[U], R],
        *,
        workers: int,
        on_result: Callable[[U, R], None],
        time_limit: float | None = None,
        overdue: Callable[[U], R] | None = None,
        begun: Callable[[U], float | None] | None = None,
    ) -> None:
        self._work = work
        self._size = workers
        self._on_result = on_result
        self._time_limit = time_limit
        self._overdue = overdue
        self._begun = begun
        self._done: queue.SimpleQueue[tuple[U, R] | BaseException] = queue.SimpleQueue()
        # Guards the two below: workers take units while the caller gives up on slow ones.
        self._lock = threading.Lock()
        self._units: Iterator[tuple[int, U]] = iter(())
        self._running: dict[int, tuple[float, U]] = {}
        self._stopped = False
        self._settled = 0

    @property
    def in_flight(self) -> int:
        """The number of units that have begun and not ended."""
        return len(self._running)

    def run(self, units: Iterable[U], count: int) -> None:
        """Do every unit once. Each is taken from `units` in its worker, and forgotten when it is done.

        Args:
            count: of the units.

        Raises:
            BaseException: the first one that `work` or `units` raised; units not yet started are left out.
            KeyboardInterrupt: after units in flight had a moment to finish and were reported.
        """
        self._units = enumerate(units)
        for _ in range(min(self._size, count)):
            self._start_worker()
        try:
            while self._settled < count:
                self._collect()
        except KeyboardInterrupt:
            self._stopped = True
            self._drain()
            raise
        finally:
            self._stopped = True

    def _start_worker(self) -> None:
        run = copy_context().run
        threading.Thread(target=run, args=(self._loop,), daemon=True, name="worksmith-episodes").start()

    def _loop(self) -> None:
        while (taken := self._take()) is not None:
            index, unit = taken
            done: tuple[U, R] | BaseException
            try:
                done = unit, self._work(unit)
            except BaseException as error:  # handed to the calling thread, which raises it
                done = error
            with self._lock:
                if index not in self._running:
                    return  # the caller gave this unit up and started another worker instead
                # Put before delete: a reader that sees nothing running must find the result in the queue.
                self._done.put(done)
                if isinstance(done, BaseException):
                    return
                del self._running[index]

    def _take(self) -> tuple[int, U] | None:
        with self._lock:
            try:
                taken = None if self._stopped else next(self._units, None)
            except BaseException as error:  # a unit may be made just now
                self._done.put(error)
                return None
            if taken is not None:
                self._running[taken[0]] = time.monotonic(), taken[1]
            return taken

    def _collect(self) -> None:
        """Wait for one result, or until the oldest unit in flight may be overdue."""
        try:
            done = self._done.get(timeout=self._patience())
        except queue.Empty:
            for unit in self._give_up():
                assert self._overdue is not None, "a time limit needs a result for what exceeds it"
                self._settle(unit, self._overdue(unit))
                self._start_worker()
            return
        if isinstance(done, BaseException):
            raise done
        self._settle(*done)

    def _settle(self, unit: U, result: R) -> None:
        self._settled += 1
        self._on_result(unit, result)

    def _patience(self) -> float | None:
        if self._time_limit is None:
            return None
        now = time.monotonic()
        # A unit that waits may begin now.
        oldest = min((now if begun is None else begun for _, _, begun in self._times()), default=now)
        return max(0.001, oldest + self._time_limit - now)

    def _give_up(self) -> list[U]:
        if self._time_limit is None:
            return []
        limit = time.monotonic() - self._time_limit
        late = [index for index, _, begun in self._times() if begun is not None and begun <= limit]
        with self._lock:
            return [self._running.pop(index)[1] for index in late if index in self._running]

    def _times(self) -> list[tuple[int, U, float | None]]:
        """The units in flight, with the time at which each began; None if it waits."""
        with self._lock:
            running = list(self._running.items())
        begun = self._begun
        return [(index, unit, taken if begun is None else begun(unit)) for index, (taken, unit) in running]

    def _drain(self) -> None:
        """Report the results that are there or arrive within the grace period: they are paid."""
        deadline = time.monotonic() + _GRACE
        while self._running or not self._done.empty():
            try:
                done = self._done.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return
            if not isinstance(done, BaseException):
                self._settle(*done)
