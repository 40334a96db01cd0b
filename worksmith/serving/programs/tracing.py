"""Traces of served tasks in MLflow, written by a thread so that no task waits for them."""

from __future__ import annotations

import queue
import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from worksmith.tools.errors import WorksmithError

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Task
    from worksmith.evals.tracking import Run
    from worksmith.serving.programs.metrics import Metrics

_WAITING = 1000
_BATCH = 50
_OF_PART = 1000
_LAST = 10.0
"""Seconds for what still waits when the server ends."""


class Traces:
    """Writes records of tasks below a run. What MLflow is too slow for is left out and counted.

    Every thousand has a run of its own: MLflow lists its traces after each batch, which must not take longer
        and longer.
    """

    def __init__(self, run: Run, model: str, metrics: Metrics) -> None:
        self._run, self._model, self._metrics = run, model, metrics
        self._part, self._in_part, self._parts = ExitStack(), _OF_PART, 0
        self._below = run
        self._waiting: queue.Queue[tuple[EpisodeRecord, Task] | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._write, daemon=True, name="traces")
        self._thread.start()

    def add(self, record: EpisodeRecord, task: Task) -> None:
        try:
            self._waiting.put_nowait((record, task))
        except queue.Full:
            self._metrics.untraced.inc()

    def close(self) -> None:
        """Write what waits, for as long as a server that ends can wait."""
        try:
            self._waiting.put(None, timeout=_LAST)
        except queue.Full:
            return
        self._thread.join(_LAST)

    def _write(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, ended = [first], False
            while len(batch) < _BATCH and not self._waiting.empty():
                found = self._waiting.get()
                if found is None:
                    ended = True
                    break
                batch.append(found)
            self._keep(batch)
            if ended:
                break
        self._part.close()

    def _keep(self, batch: list[tuple[EpisodeRecord, Task]]) -> None:
        records, tasks = [record for record, _ in batch], [task for _, task in batch]
        try:
            if self._in_part >= _OF_PART:
                self._part.close()
                self._parts += 1
                self._below = self._part.enter_context(self._run.child(f"part {self._parts}"))
                self._in_part = 0
            self._in_part += len(batch)
            self._below.traces(records, split="served", model=self._model, tasks=tasks)
        except WorksmithError as error:
            self._metrics.untraced.inc(len(batch))
            print(f"worksmith: {error}", file=sys.stderr)  # noqa: T201
