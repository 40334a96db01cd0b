"""The tasks in `worksmith eval`, with the example of a loop over OpenAI's API as the agent."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.quality.neighbours.worlds import Model
from worksmith.evals.records.record import PRIMARY
from worksmith.jobs.evaluation import evaluate
from worksmith.jobs.settings.programs import EvaluateSettings

AGENT = "examples.agents.openai_loop:agent"


def outcomes(suite: Path, model: Model, limit: int) -> dict[str, float | None]:
    """The outcome of each task by its id; None for one that was not graded."""
    with patch.dict(os.environ, environment(model)), TemporaryDirectory() as folder:
        settings = EvaluateSettings(
            suite=suite, agent=AGENT, split="all", limit=limit, track=False, log=Path(folder) / "log.jsonl"
        )
        records = evaluate(settings).records
    return {record.task_id: record.scores.get(PRIMARY) for record in records}


def environment(model: Model) -> dict[str, str]:
    """The variables by which the agent finds the model."""
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": model.key, "AGENT_MODEL": model.name}
