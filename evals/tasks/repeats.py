"""Tasks that ask the same: evidence from them is no more than from one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from worksmith.evals.tasks.task import Task, VisibleTask, same_text


class Request(NamedTuple):
    """A request as tasks of one world are compared by it. In another world the same id is another person."""

    query: str
    context: str
    persona: str
    now: str


AnyTask = TypeVar("AnyTask", bound=Task)


def of_one_intent(tasks: Sequence[AnyTask]) -> list[AnyTask]:
    """The tasks; those without an intent that ask the same get one intent, named after the first of them.

    A task without an intent counts as its own intent. So a repeated task would count as many.
    """
    asked = [request(task) for task in tasks]
    count, names = Counter(asked), dict[Request, str]()
    for task, same in zip(tasks, asked, strict=True):
        names.setdefault(same, f"like {task.id}")
    return [
        task.model_copy(update={"intent": names[same]}) if task.intent is None and count[same] > 1 else task
        for task, same in zip(tasks, asked, strict=True)
    ]


def request(task: VisibleTask) -> Request:
    """The request with persona and time: two tasks with equal values are the same request."""
    who = task.persona.id if task.persona else ""
    told = same_text(task.context)
    if task.user is not None:
        told += f"\n{task.user.model_dump_json()}"
    return Request(same_text(task.query), told, who, task.now.isoformat() if task.now else "")
