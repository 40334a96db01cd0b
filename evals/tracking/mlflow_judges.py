"""Rubrics as judges of MLflow, which its page *Judges* shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.judging.panel import Panel
from worksmith.evals.judging.rubric import GoesByRubrics, Rubric
from worksmith.evals.tracking.assessments import verdict_name

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from worksmith.evals.running.asked_judges import Judge
    from worksmith.evals.tasks.task import Task

_ASKED = "\n\nThe task:\n{{ inputs }}\n\nThe response:\n{{ outputs }}"
"""MLflow wants a place for the material in a judge's instructions."""

_NOTE = (
    "A rubric of the judge {name} of worksmith. Its verdicts are assessments of traces. They rest on the "
    "changes of an episode as well, which MLflow does not show to a judge that it runs itself."
)


def keep_judges(
    client: MlflowClient, experiment_id: str, judges: Iterable[Judge], tasks: Sequence[Task]
) -> None:
    """Keep the rubrics by which judges grade tasks; equal rubrics make no new version.

    Judges without rubrics are left out; of several that vote, each is kept.
    """
    from mlflow.genai.judges import make_judge

    store = client._tracking_client.store
    known = {each.scorer_name: each._serialized_scorer for each in store.list_scorers(experiment_id)}
    for judge in _single(judges):
        for rubric in _used(judge, tasks):
            made = make_judge(
                name=f"{verdict_name(rubric.name)}, {judge.name}",
                instructions=rubric.text + _ASKED,
                model=_model(judge),
                description=_NOTE.format(name=judge.name),
                feedback_value_type=int,
            )
            text = json.dumps(made.model_dump())
            if _content(known.get(made.name, "{}")) != _content(text):
                _keep(store, experiment_id, made.name, text)


def _keep(store: Any, experiment_id: str, name: str, text: str) -> None:
    """Register a judge. Equal versions, which were registered at the same moment, become one."""
    from mlflow.exceptions import MlflowException

    try:
        store.register_scorer(experiment_id, name, text)
    except MlflowException:
        if not _equal(store, experiment_id, name, text):
            raise
    for version in _equal(store, experiment_id, name, text)[1:]:
        with suppress(MlflowException):  # another writer may have removed it
            store.delete_scorer(experiment_id, name, version)


def _equal(store: Any, experiment_id: str, name: str, text: str) -> list[int]:
    """The versions of a judge with this content, the first one first."""
    found = store.list_scorer_versions(experiment_id, name)
    return sorted(
        each.scorer_version for each in found if _content(each._serialized_scorer) == _content(text)
    )


def _single(judges: Iterable[Judge]) -> list[Judge]:
    return [each for judge in judges for each in (judge.judges if isinstance(judge, Panel) else [judge])]


def _used(judge: Judge, tasks: Sequence[Task]) -> list[Rubric]:
    """The rubrics of a judge that are for at least one of the tasks, each once."""
    if not isinstance(judge, GoesByRubrics):
        return []
    return list({rubric.digest: rubric for rubric in map(judge.rubrics.for_task, tasks)}.values())


def _model(judge: Judge) -> str:
    """The model of a judge in MLflow's spelling; a judge without one has its own name there."""
    lm = getattr(judge, "lm", None)
    provider, _, name = (judge.name if lm is None else model_name(lm)).partition("/")
    return f"{provider}:/{name}"


def _content(serialized: str) -> Any:
    """A judge as MLflow keeps it, in any version of MLflow."""
    return {**json.loads(serialized), "mlflow_version": ""}
