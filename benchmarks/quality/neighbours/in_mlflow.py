"""The tasks in `mlflow.genai.evaluate`, with the same agent as ours."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.quality.neighbours.ours import AGENT, environment
from benchmarks.quality.neighbours.worlds import Model
from worksmith.evals.dspy_programs.own_code import own_object
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.suite import Suite
from worksmith.evals.tracking.store import open_store, quieten_libraries
from worksmith.programs.own_agents.program import OwnAgent

_QUICK = {"MLFLOW_GENAI_EVAL_PREDICT_RATE_LIMIT": "0", "TQDM_DISABLE": "1"}


def outcomes(suite: Path, model: Model, limit: int) -> dict[str, float | None]:
    """The outcome of each task by its id; None for one that has no score."""
    quieten_libraries()
    import mlflow

    from worksmith.exports.mlflow import data, predict_fn, scorers

    opened = Suite.open(suite)
    # MLflow prints where its pages are, and stdout is for the figures.
    with patch.dict(os.environ, environment(model) | _QUICK), _store(), redirect_stdout(sys.stderr):
        agent = OwnAgent(own_object(AGENT, where="the agent"))
        found = mlflow.genai.evaluate(
            data=data(opened, split="all", limit=limit),
            predict_fn=predict_fn(agent, opened, lm="own"),
            scorers=scorers(opened),
        )
    rows = found.result_df.to_dict("records")
    values = {row["request"]["task_id"]: row[f"{PRIMARY}/value"] for row in rows}
    return {task: None if value is None or math.isnan(value) else value for task, value in values.items()}


@contextmanager
def _store() -> Iterator[None]:
    """A fresh store as that of the process."""
    import mlflow

    before = mlflow.get_tracking_uri()
    with TemporaryDirectory() as folder:
        uri = f"sqlite:///{folder}/mlflow.db"
        open_store(uri, "neighbours")
        mlflow.tracing.reset()  # else traces go where the process traced before
        mlflow.set_tracking_uri(uri)
        mlflow.set_experiment("neighbours")
        try:
            yield
        finally:
            mlflow.set_tracking_uri(before)
