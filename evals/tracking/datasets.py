"""Tasks as evaluation datasets, which MLflow's page *Datasets* shows and `mlflow.genai.evaluate` takes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from worksmith.evals.tracking.assessments import expectations
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import EvaluationDataset

    from worksmith.evals.tasks.task import Task, VisibleTask
    from worksmith.evals.tracking.tracker import Dataset

_DIGEST = "worksmith_digest"
"""A tag whose name MLflow finds: of names with dots its search of datasets finds nothing."""

_BATCH = 250
"""Tasks in one request to a server."""


def inputs(task: VisibleTask) -> dict[str, Any]:
    """The visible part of a task, of which MLflow makes the keyword arguments of a program.

    Returns:
        `task` (the request) and `task_id`, and what else there is of `context`, `domains`, `persona` (the id)
        and `now`.
    """
    values = {
        "task": task.query,
        "task_id": task.id,
        "context": task.context,
        "domains": list(task.domains),
        "persona": task.persona.id if task.persona is not None else None,
        "now": task.now.isoformat() if task.now is not None else None,
    }
    return {name: value for name, value in values.items() if value}


def keep_dataset(
    client: MlflowClient,
    experiment_id: str,
    suite: Dataset,
    split: str,
    tasks: Sequence[Task],
    *,
    expected: bool = False,
) -> EvaluationDataset:
    """Keep tasks as an evaluation dataset of an experiment; the same tasks of the same suite are kept once.

    MLflow's own client would add the name of the user to each.

    Args:
        expected: whether it has the expectations of the tasks as well.

    Returns:
        The dataset; its name ends in the digest of its content.
    """
    content = digest([suite.digest, split, [task.digest for task in tasks], expected])
    name = f"{suite.name}/{split}, {len(tasks)} tasks, {content[:8]}"
    found = client.search_datasets([experiment_id], f"tags.{_DIGEST} = '{content}'", max_results=1)
    if found:
        return found[0]
    store = client._tracking_client.store
    tags = {
        "worksmith.suite": suite.name,
        "worksmith.suite_digest": suite.digest,
        "worksmith.split": split,
        "worksmith.tasks": str(len(tasks)),
        "worksmith.expectations": str(expected).lower(),
    }
    made = store.create_dataset(name, tags=tags, experiment_ids=[experiment_id])
    rows = [row(task, expected) for task in tasks]
    for start in range(0, len(rows), _BATCH):
        store.upsert_dataset_records(made.dataset_id, rows[start : start + _BATCH])
    # Last, so that a dataset that an interruption left incomplete is not taken for the whole one.
    store.set_dataset_tags(made.dataset_id, {_DIGEST: content})
    return _only(client, experiment_id, content)


def _only(client: MlflowClient, experiment_id: str, content: str) -> EvaluationDataset:
    """The oldest dataset of this content; concurrent ones are removed.

    Each process looks after it has made one, so the last one sees all.
    """
    from mlflow.exceptions import MlflowException

    found = client.search_datasets([experiment_id], f"tags.{_DIGEST} = '{content}'")
    kept, *others = sorted(found, key=lambda each: (each.created_time, each.dataset_id))
    for other in others:
        with suppress(MlflowException):  # another writer may have removed it
            client.delete_dataset(other.dataset_id)
    return kept


def row(task: Task, expected: bool) -> dict[str, Any]:
    """A task as a row of a dataset.

    Args:
        expected: whether it has the expectations as well.
    """
    visible: dict[str, Any] = {"inputs": inputs(task)}
    return {**visible, "expectations": expectations(task)} if expected else visible
