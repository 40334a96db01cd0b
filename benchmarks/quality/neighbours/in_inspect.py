"""The tasks in inspect_ai."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.quality.neighbours.worlds import Model
from worksmith.evals.records.record import PRIMARY


def outcomes(suite: Path, model: Model, limit: int) -> dict[str, float | None]:
    """The outcome of each task by its id; None for one that has no score."""
    import dspy
    import inspect_ai

    from worksmith.exports.inspect import inspect_model, inspect_task

    asked = inspect_model(dspy.LM(f"openai/{model.name}", api_base=model.url, api_key=model.key))
    task = inspect_task(suite, split="all", limit=limit)
    with TemporaryDirectory() as folder:
        (log,) = inspect_ai.eval(task, model=asked, display="none", log_dir=folder, fail_on_error=False)
        samples = log.samples or []
    return {str(sample.id): _value(sample.scores) for sample in samples}


def _value(scores: dict[str, Any] | None) -> float | None:
    value = scores[PRIMARY].value if scores else math.nan
    return None if math.isnan(value) else float(value)
