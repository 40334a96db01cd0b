"""Project tasks: which are overdue, how they are found and changed; for oracles and for solutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date

from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import weekday_of_next_week
from worksmith.evals.kinds.office.records import ProjectTask
from worksmith.evals.tasks.task import Action

TaskRow = dict[str, str]
"""A task as the boards' search shows it."""


def overdue(tasks: Iterable[ProjectTask], today: date) -> list[ProjectTask]:
    """Those that were due before `today` and are not completed."""
    return [task for task in tasks if task.due < today and task.list_name != "Completed"]


def overdue_rows(rows: Iterable[TaskRow], today: date) -> list[TaskRow]:
    """The same for what a search has shown."""
    return [row for row in rows if row["due_date"] < today.isoformat() and row["list_name"] != "Completed"]


def search_tasks(call: PlanRecorder, why: str, **wanted: str) -> list[TaskRow]:
    """All tasks whose fields contain what is wanted."""
    found: list[TaskRow] = call("project_management.search_tasks", why, **wanted)
    return found


def fewest(addresses: Iterable[str]) -> str:
    """The address that occurs least often but does occur; in a tie the first in the alphabet."""
    counts = Counter(addresses)
    return min(counts, key=lambda address: (counts[address], address))


def most(addresses: Iterable[str]) -> str:
    """The address that occurs most often; in a tie the first in the alphabet."""
    counts = Counter(addresses)
    return min(counts, key=lambda address: (-counts[address], address))


def update(task_id: str, field: str, value: str) -> Action:
    return Action(
        tool="project_management.update_task",
        arguments={"task_id": task_id, "field": field, "new_value": value},
    )


def create(name: str, board: str, assignee: str, due: date) -> Action:
    """The call that creates a task in the backlog."""
    return Action(
        tool="project_management.create_task",
        arguments={
            "task_name": name,
            "board": board,
            "assigned_to_email": assignee,
            "due_date": due.isoformat(),
            "list_name": "Backlog",
        },
    )


def improvement(metric: str, assignee: str, today: date) -> Action:
    """The call that creates a front-end task about a metric, due on Friday of next week."""
    return create(f"Improve {metric}", "Front end", assignee, weekday_of_next_week("Friday", today))
