"""Traces of served tasks: written behind the tasks' backs, in parts that stay small."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from tests.evals.episodes import make_record
from worksmith.evals.tracking.tracker import Run
from worksmith.serving.programs.metrics import Metrics
from worksmith.serving.programs.tracing import Traces
from worksmith.tools.errors import WorksmithError


class Kept(Run):
    """A run that remembers what is written below it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.parts: list[list[Any]] = []
        self.open = threading.Event()
        self.open.set()
        self._error = error

    def child(self, name: str, *, params: Any = None, tags: Mapping[str, str] | None = None) -> Run:
        self.parts.append([])
        return self

    def traces(self, records: Any, **_: Any) -> None:
        self.open.wait(10)
        if self._error is not None:
            raise self._error
        self.parts[-1] += records


def dropped(metrics: Metrics) -> float:
    line = next(
        each
        for each in metrics.text().decode().splitlines()
        if each.startswith("worksmith_traces_dropped_total")
    )
    return float(line.split()[-1])


def test_every_record_is_written_in_order_and_in_parts_of_a_thousand() -> None:
    run, metrics = Kept(), Metrics()
    traces, task = Traces(run, "m", metrics), None
    records = [make_record(number) for number in range(2300)]
    for start in range(0, 2300, 100):
        for record in records[start : start + 100]:
            traces.add(record, task)  # type: ignore[arg-type]
        while sum(map(len, run.parts)) < start + 100:
            threading.Event().wait(0.001)
    traces.close()
    assert [each for part in run.parts for each in part] == records
    assert len(run.parts) == 3
    assert max(map(len, run.parts)) < 1050
    assert dropped(metrics) == 0


def test_no_task_waits_for_a_slow_store_and_what_is_left_out_is_counted() -> None:
    run, metrics = Kept(), Metrics()
    run.open.clear()
    traces = Traces(run, "m", metrics)
    for number in range(1500):
        traces.add(make_record(number), None)  # type: ignore[arg-type]
    run.open.set()
    traces.close()
    written = sum(map(len, run.parts))
    assert 1000 <= written <= 1051
    assert dropped(metrics) == 1500 - written


def test_a_store_that_fails_ends_nothing() -> None:
    run, metrics = Kept(WorksmithError("no store")), Metrics()
    traces = Traces(run, "m", metrics)
    for number in range(3):
        traces.add(make_record(number), None)  # type: ignore[arg-type]
    traces.close()
    assert dropped(metrics) == 3
