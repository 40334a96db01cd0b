"""Episodes in `mlflow.genai.evaluate`: a program that runs them, and scorers that look their records up.

An episode's score needs its changes and calls, and a prediction of MLflow is data. So the record of each
episode stays with the open suite, and the prediction names it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack
from weakref import WeakKeyDictionary

from worksmith.evals.records.record import PRIMARY, STRICT, EpisodeRecord
from worksmith.evals.running.rollout_job import RolloutJob
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tracking.assessments import assessments
from worksmith.evals.tracking.datasets import inputs, row
from worksmith.exports.choice import TaskChoice, chosen_tasks
from worksmith.exports.mlflow.registered import REGISTERED, registered_program
from worksmith.jobs.opening.arguments import chosen_models, opened
from worksmith.jobs.opening.named_judges import open_judges
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import dspy
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import Scorer

    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task

_RECORDS: WeakKeyDictionary[Suite, dict[str, EpisodeRecord]] = WeakKeyDictionary()
"""The records of an open suite's episodes, by key."""


def data(suite: Suite, *, expected: bool = False, **choice: Unpack[TaskChoice]) -> list[dict[str, Any]]:
    """Tasks as the `data` of `mlflow.genai.evaluate`, without a store; `worksmith export mlflow` keeps them.

    Args:
        expected: whether rows have the expectations of tasks, which MLflow then shows and passes on.
        choice: `split`, `limit`, `where` and `scheme`, see `worksmith.exports.choice.TaskChoice`.

    Raises:
        InputError: a setting is wrong, or no task fits.
    """
    return [row(task, expected) for task in chosen_tasks(suite, **choice)[2]]


def predict_fn(
    program: Callable[..., Any] | Path | str,
    suite: Suite,
    *,
    lm: str | dspy.BaseLM | None = None,
    judge: str | Sequence[str] = (),
    seed: int = 0,
) -> Callable[..., dict[str, Any]]:
    """A program as the `predict_fn` of `mlflow.genai.evaluate`.

    A task's episode is run and scored as `worksmith eval` does it. A further call with the same task gives
    the same prediction, because MLflow calls with the first task twice; a lost episode is run again.

    Args:
        program: as in `ws.evaluate`; or a registered model, `models:/NAME@ALIAS`.
        lm: the model or its name. Default is DSPy's, else `local/apprentice`. A registered model does not
            choose one.
        judge: names of judges, whose levels are scores as well.
        seed: of all random choices.

    Returns:
        A function of a row's inputs. Its prediction has `answer`, `status`, `calls` (names of tools),
        `changes`, and `episode`, the key of the record.

    Raises:
        InputError: an argument is wrong.
    """
    from mlflow import trace

    suite.env.check()
    names = (judge,) if isinstance(judge, str) else tuple(judge)
    registered = isinstance(program, str) and program.startswith(REGISTERED)
    found = registered_program(str(program), suite.env) if registered else opened(program, suite.env)
    judges = open_judges(names, None, suite.env.kind.tables)
    settings = EvalSettings(env=suite.env, lm=chosen_models(lm, suite).only.lm, judges=judges, seed=seed)
    episodes = _Episodes(suite, RolloutJob(found.program, settings))

    def predict(task_id: str, task: str, **others: Any) -> dict[str, Any]:
        return _prediction(episodes.record(_task(suite, task_id, {"task": task, **others})))

    named: Callable[..., dict[str, Any]] = trace(predict, name=episodes.job.strategy, span_type="AGENT")
    return named


def scorers(suite: Suite) -> list[Scorer]:
    """The scores of episodes of `predict_fn` as scorers of MLflow, for the same open suite.

    They give each score and each judge's level under its name. MLflow's `outcome/mean` is the outcome over
    graded episodes, as `worksmith eval` shows it, and `outcome_strict/mean` counts lost episodes as wrong.
    """
    from mlflow.genai.scorers import scorer

    def worksmith(outputs: dict[str, Any] | None) -> list[Feedback]:
        record = _RECORDS.get(suite, {}).get((outputs or {}).get("episode", ""))
        if record is None:
            raise InputError(
                "the prediction names no episode of this suite",
                hint="give predict_fn and scorers the same open suite",
            )
        return _feedback(record)

    return [scorer(worksmith)]


class _Episodes:
    """The episodes of one program, each run once."""

    def __init__(self, suite: Suite, job: RolloutJob) -> None:
        self.job = job
        self._records = _RECORDS.setdefault(suite, {})
        self._locks: dict[str, threading.Lock] = {}

    def record(self, task: Task) -> EpisodeRecord:
        unit = self.job.unit(task, 0)
        with self._locks.setdefault(unit.key, threading.Lock()):
            known = self._records.get(unit.key)
            if known is None or not known.graded:
                known = self._records[unit.key] = self.job.run(unit, task)
            return known


def _task(suite: Suite, task_id: str, given: dict[str, Any]) -> Task:
    task = suite.task(task_id)
    if inputs(task) != {"task_id": task_id, **{name: value for name, value in given.items() if value}}:
        raise InputError(
            "the row is not the suite's task",
            where=f"task {task_id}",
            hint="the suite has changed since; export it again",
        )
    return task


def _prediction(record: EpisodeRecord) -> dict[str, Any]:
    ending = {"answer_status": record.answer_status} if record.answer_status else {}
    error = {"error": record.error} if record.error else {}
    return {
        "answer": record.answer,
        "status": record.status,
        **ending,
        **error,
        "calls": [call.tool for call in record.calls],
        "changes": [change.model_dump(mode="json", exclude={"row"}) for change in record.changes],
        "episode": record.key,
    }


def _feedback(record: EpisodeRecord) -> list[Feedback]:
    """The scores and verdicts of an episode; of one that was lost an error, and the strict outcome."""
    from mlflow.entities import AssessmentError, AssessmentSource, AssessmentSourceType, Feedback

    found: list[Feedback] = list(assessments(record, None, frozenset()))
    source = AssessmentSource(AssessmentSourceType.CODE, f"worksmith.{PRIMARY}")
    if not record.graded:
        lost = AssessmentError(record.status.upper(), record.error or record.status)
        found.append(Feedback(name=PRIMARY, error=lost, source=source))
    found.append(Feedback(name=STRICT, value=record.scores.get(PRIMARY, 0.0), source=source))
    return found
