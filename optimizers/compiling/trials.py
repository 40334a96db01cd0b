"""The record of a compile's trials in MLflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evals.tracking import Dataset, Run
    from optimizers.compiling.artifact import Artifact

_DEV = {"outcome": "value", "outcome_low": "low", "outcome_high": "high"}


def record_trials(run: Run, artifact: Artifact, dataset: Dataset) -> None:
    """Keep the numbers of tasks, the dev scores of the candidates in the order tried, and the cost."""
    for split in ("train", "dev"):
        run.dataset(dataset, split=split, tasks=len(getattr(artifact.manifest, split)))
    for number, trial in enumerate(artifact.manifest.trials):
        outcome = trial["outcome"]
        values = {f"dev/{name}": outcome[bound] for name, bound in _DEV.items() if outcome[bound] is not None}
        run.metrics(values, step=number)
    for role, cost in artifact.manifest.cost.items():
        run.metrics({f"compile/{role}_{name}": value for name, value in cost.items()})
    run.metrics({f"compile/{name}": value for name, value in artifact.measured.items()})
