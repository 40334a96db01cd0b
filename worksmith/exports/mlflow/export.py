"""Keep a suite's tasks as an evaluation dataset in an MLflow store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.evals.tracking import Dataset
from worksmith.evals.tracking.datasets import keep_dataset
from worksmith.evals.tracking.reaching import boundary
from worksmith.evals.tracking.store import absolute, open_store, tracking_uri
from worksmith.exports.choice import choice_of, chosen_tasks
from worksmith.jobs.showing.printing import Printed

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import ExportMlflowSettings


def export(settings: ExportMlflowSettings, *, progress: Progress = SILENT) -> Printed:
    """Keep tasks as an evaluation dataset; an existing one is not made again."""
    suite = Suite.open(settings.suite)
    _, split, tasks = chosen_tasks(suite, progress=progress, **choice_of(settings))
    experiment = settings.experiment or suite.path.resolve().name
    client, experiment_id = open_store(absolute(tracking_uri(settings.tracking_uri)), experiment)
    about = Dataset(suite.path.name, suite.digest)
    with boundary():
        kept = keep_dataset(client, experiment_id, about, split, tasks, expected=settings.expectations)
    facts = {"name": kept.name, "dataset_id": kept.dataset_id, "experiment": experiment, "tasks": len(tasks)}
    return Printed(facts, (f"{kept.name} is dataset {kept.dataset_id} of {experiment}",))
