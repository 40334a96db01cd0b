"""The tasks that an export takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.suites import choose_tasks
from worksmith.jobs.settings.groups.tasks import TaskSettings
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task


class TaskChoice(TypedDict, total=False):
    """Which tasks of a suite are taken.

    Attributes:
        split: `train`, `dev`, `test`, `paired` or `all`; None for `test`, or `all` of a published task set.
        limit: the most tasks, spread evenly.
        where: conditions such as `area=HR,IT`; a text is one condition.
        scheme: of the splits: `standard` or `held_out_intents`.
    """

    split: str | None
    limit: int | None
    where: Sequence[str] | str
    scheme: str


def chosen_tasks(
    suite: Suite | Path | str, *, progress: Progress = SILENT, **choice: Unpack[TaskChoice]
) -> tuple[Suite, str, list[Task]]:
    """The suite, the split's name and its tasks, as `worksmith eval` with these settings takes them.

    Args:
        suite: an open one, or its folder.
        choice: see `TaskChoice`.

    Raises:
        InputError: a setting is wrong, no task fits, or only a judge could score one of them.
    """
    opened = suite if isinstance(suite, Suite) else Suite.open(Path(suite))
    where = choice.get("where", ())
    settings = TaskSettings(**{**choice, "where": [where] if isinstance(where, str) else list(where)})
    name, tasks = choose_tasks(opened, settings, progress)
    judged = [task for task in tasks if task.judged]
    if judged:
        raise InputError(
            f"{len(judged)} tasks have rubrics, by which a language model must judge",
            where=f"task {judged[0].id}",
            hint="measure them with `worksmith eval --judge`, and leave them out here with --where",
        )
    return opened, name, tasks


def choice_of(settings: TaskSettings) -> TaskChoice:
    """The choice of settings, for a file that is written."""
    return TaskChoice(
        split=settings.split, limit=settings.limit, where=list(settings.where), scheme=settings.scheme
    )
