"""What a store holds, for tests."""

from __future__ import annotations

from typing import Any

from worksmith.evals.tracking import Run
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker


def traces_of(tracker: MlflowTracker, run: Run) -> list[Any]:
    """The traces of a run, at most 500."""
    from mlflow.tracing.client import TracingClient

    client = TracingClient(tracker.uri)
    return list(client.search_traces(locations=[tracker.experiment_id], run_id=run.id, max_results=500))
