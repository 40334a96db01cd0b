"""The pool of threads ends, whatever its units do."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator

from worksmith.evals.running.workers import Workers


class Waiting:
    """A unit that waits for others before it begins."""

    def __init__(self, waits: float, takes: float) -> None:
        self._waits, self._takes = waits, takes
        self.begun: float | None = None

    def run(self) -> str:
        time.sleep(self._waits)
        self.begun = time.monotonic()
        time.sleep(self._takes)
        return "done"


def test_the_time_limit_is_that_of_the_unit_and_not_of_its_wait() -> None:
    found: dict[Waiting, str] = {}
    pool: Workers[Waiting, str] = Workers(
        Waiting.run,
        workers=3,
        on_result=found.__setitem__,
        time_limit=0.3,
        overdue=lambda unit: "overdue",
        begun=lambda unit: unit.begun,
    )
    units = [Waiting(0.7, 0), Waiting(0, 5), Waiting(0.1, 5)]
    pool.run(units, len(units))
    assert [found[unit] for unit in units] == ["done", "overdue", "overdue"]


def unmade() -> Iterator[str]:
    raise ValueError("no unit")
    yield


def test_a_unit_that_cannot_be_made_ends_the_run() -> None:
    pool: Workers[str, str] = Workers(str, workers=2, on_result=lambda unit, result: None)
    ended: queue.SimpleQueue[ValueError] = queue.SimpleQueue()

    def run() -> None:
        try:
            pool.run(unmade(), 3)
        except ValueError as error:
            ended.put(error)

    threading.Thread(target=run, daemon=True).start()
    assert "no unit" in str(ended.get(timeout=5))
