"""Keep a suite's tasks as an evaluation dataset in an MLflow store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.evals.tracking import Dataset
from worksmith.evals.tracking.datasets import keep_dataset
from worksmith.evals.tracking.reaching import boundary
from worksmith.evals.tracking.store import absolute, open_store, tracking_uri
from worksmith.exports.choice import choice_of, chosen_tasks
from worksmith.jobs.showing.printing import Printable

if TYPE_CHECKING:
    from rich.console import Console

    from worksmith.jobs.settings.exports import ExportMlflowSettings


@dataclass(frozen=True)
class KeptDataset(Printable):
    """An evaluation dataset in an MLflow store.

    Attributes:
        dataset_id: for `mlflow.genai.datasets.get_dataset`.
        tasks: the number of tasks.
    """

    name: str
    dataset_id: str
    experiment: str
    tasks: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def print(self, console: Console) -> None:
        console.out(f"{self.name} is dataset {self.dataset_id} of {self.experiment}", highlight=False)


def export(settings: ExportMlflowSettings, *, progress: Progress = SILENT) -> KeptDataset:
    """Keep tasks as an evaluation dataset; an existing one is not made again."""
    suite = Suite.open(settings.suite)
    _, split, tasks = chosen_tasks(suite, progress=progress, **choice_of(settings))
    experiment = settings.experiment or suite.path.resolve().name
    client, experiment_id = open_store(absolute(tracking_uri(settings.tracking_uri)), experiment)
    about = Dataset(suite.path.name, suite.digest)
    with boundary():
        kept = keep_dataset(client, experiment_id, about, split, tasks, expected=settings.expectations)
    return KeptDataset(kept.name, kept.dataset_id, experiment, len(tasks))
