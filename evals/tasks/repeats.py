"""Tasks that ask the same: evidence from them is no more than from one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from worksmith.evals.tasks.task import Task, same_text

AnyTask = TypeVar("AnyTask", bound=Task)


def of_one_intent(tasks: Sequence[AnyTask]) -> list[AnyTask]:
    """The tasks; those without an intent that ask the same get one intent, named after the first of them.

    A task without an intent counts as an intent of its own. So a repeated task would count as many.
    """
    asked = [_asked(task) for task in tasks]
    count, names = Counter(asked), dict[tuple[str, ...], str]()
    for task, same in zip(tasks, asked, strict=True):
        names.setdefault(same, f"like {task.id}")
    return [
        task.model_copy(update={"intent": names[same]}) if task.intent is None and count[same] > 1 else task
        for task, same in zip(tasks, asked, strict=True)
    ]


def _asked(task: Task) -> tuple[str, ...]:
    return same_text(task.query), same_text(task.context), task.persona.id if task.persona else ""
