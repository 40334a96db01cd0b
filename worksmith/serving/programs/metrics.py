"""Figures of a served program for Prometheus. No figure names a person."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder in which several processes add their figures up."""

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_TOKENS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
_USD = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        self.requests = Counter("worksmith_requests", "Answered requests.", ("route", "status"), registry=own)
        self.tasks = Counter("worksmith_tasks", "Ended tasks, by their status.", ("status",), registry=own)
        self.seconds = Histogram(
            "worksmith_task_seconds", "Seconds of a task.", registry=own, buckets=_SECONDS
        )
        self.tokens = Histogram(
            "worksmith_task_tokens", "Paid tokens of a task.", registry=own, buckets=_TOKENS
        )
        self.usd = Histogram("worksmith_task_usd", "Dollars of a task.", registry=own, buckets=_USD)
        self.calls = Counter("worksmith_model_calls", "Paid requests to models.", registry=own)
        self.in_flight = Gauge(
            "worksmith_tasks_in_flight", "Tasks in progress.", registry=own, multiprocess_mode="livesum"
        )
        self.changes = Counter(
            "worksmith_changes", "Change sets, by what became of them.", ("status",), registry=own
        )
        self.untraced = Counter(
            "worksmith_traces_dropped", "Tasks without a trace, because MLflow was too slow.", registry=own
        )

    def text(self) -> bytes:
        """All figures, those of other processes included."""
        if SHARED not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
