"""The record of a compile's trials in MLflow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worksmith.evals.tracking import Dataset

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.evals.tracking import Run
    from worksmith.optimizers.compiling.artifact import Artifact

_DEV = {"outcome": "value", "outcome_low": "low", "outcome_high": "high"}


def record_trials(run: Run, artifact: Artifact, suite: Suite) -> None:
    """Keep the tasks, the dev scores of the candidates in the order tried, and the cost."""
    for split in ("train", "dev"):
        # Under attack a task has another id, which the suite does not know.
        tasks = suite.select(split="all", only=getattr(artifact.manifest, split))
        run.dataset(Dataset(suite.path.name, suite.digest), split=split, tasks=tasks)
    for number, trial in enumerate(artifact.manifest.trials):
        run.metrics(_dev(trial), step=number)
    for role, cost in artifact.manifest.cost.items():
        run.metrics({f"compile/{role}_{name}": value for name, value in cost.items()})
    run.metrics({f"compile/{name}": value for name, value in artifact.measured.items()})


def record_chosen(run: Run, artifact: Artifact) -> None:
    """Keep the dev scores of the chosen candidate once more, as those of the run's program."""
    trials = artifact.manifest.trials
    for trial in trials:
        if trial["name"] == artifact.manifest.chosen:
            run.metrics(_dev(trial), step=len(trials))


def _dev(trial: Mapping[str, Any]) -> dict[str, float]:
    outcome = trial["outcome"]
    return {f"dev/{name}": outcome[bound] for name, bound in _DEV.items() if outcome[bound] is not None}
