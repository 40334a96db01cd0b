"""The project management toolkit: the tasks on the three project boards."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.matching import where
from worksmith.tools.kinds.office.records import RecordTable
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

TASKS = RecordTable(schema.TASKS, "Task", 8)


@tool(writes=True)
def create_task(
    ctx: ToolContext,
    task_name: str | None = None,
    assigned_to_email: str | None = None,
    list_name: str | None = None,
    due_date: str | None = None,
    board: str | None = None,
) -> str:
    """Create a task on a project board and return its id.

    Args:
        task_name: Required.
        assigned_to_email: Address of a member of the project team. Required.
        list_name: Backlog, In Progress, In Review or Completed, exactly so. Required.
        due_date: YYYY-MM-DD. Required.
        board: Back end, Front end or Design, exactly so. Required.
    """
    if not (task_name and assigned_to_email and list_name and due_date and board):
        return "Missing task details."
    assignee = assigned_to_email.lower()
    refusal = _bad_assignee(ctx, assignee) or _bad_list(list_name) or _bad_board(board)
    return refusal or TASKS.append(ctx, task_name, assignee, list_name, due_date, board)


@tool(writes=True)
def delete_task(ctx: ToolContext, task_id: str | None = None) -> str:
    """Delete a task.

    Args:
        task_id: The 8-digit id. Required.
    """
    return TASKS.delete(ctx, task_id)


@tool(writes=True)
def update_task(
    ctx: ToolContext, task_id: str | None = None, field: str | None = None, new_value: str | None = None
) -> str:
    """Change one field of a task.

    Args:
        task_id: The 8-digit id. Required.
        field: task_name, assigned_to_email, list_name, due_date or board. Required.
        new_value: What the field becomes; written as create_task takes it. Required.
    """
    if not task_id or not field or not new_value:
        return "Task ID, field, or new value not provided."
    value = new_value.lower() if field == "assigned_to_email" else new_value
    refusal = _bad_value(ctx, field, value)
    return refusal or TASKS.update(ctx, task_id, field, value, "Field not valid.")


@tool()
def get_task_information_by_id(
    ctx: ToolContext, task_id: str | None = None, field: str | None = None
) -> dict[str, Any] | str:
    """Look up one field of a task.

    Args:
        task_id: The 8-digit id. Required.
        field: task_id, task_name, assigned_to_email, list_name, due_date or board. Required.
    """
    return TASKS.information(ctx, task_id, field)


@tool()
def search_tasks(
    ctx: ToolContext,
    task_name: str | None = None,
    assigned_to_email: str | None = None,
    list_name: str | None = None,
    due_date: str | None = None,
    board: str | None = None,
) -> list[dict[str, Any]] | str:
    """Find all tasks whose fields contain what is given (at least one thing); returns every match.

    What is given is taken as regular expressions, ignoring case.

    Args:
        task_name: Part of the name.
        assigned_to_email: Part of the assignee's address.
        list_name: Backlog, In Progress, In Review or Completed.
        due_date: Part of the due date, e.g. 2024-10 for a month.
        board: Back end, Front end or Design.
    """
    wanted = {
        "task_name": task_name,
        "assigned_to_email": assigned_to_email,
        "list_name": list_name,
        "due_date": due_date,
        "board": board,
    }
    if not any(wanted.values()):
        return "No search parameters provided."
    tasks = TASKS.all(ctx)
    for column, pattern in wanted.items():
        tasks = where(tasks, (column,), pattern or "")
    return tasks


def _bad_value(ctx: ToolContext, field: str, value: str) -> str | None:
    if field == "board":
        return _bad_board(value)
    if field == "list_name":
        return _bad_list(value)
    if field == "assigned_to_email":
        return _bad_assignee(ctx, value)
    return None


def _bad_assignee(ctx: ToolContext, address: str) -> str | None:
    if ctx.values("SELECT 1 FROM tasks WHERE assigned_to_email = ? LIMIT 1", (address,)):
        return None
    return "Assignee email not valid. Please choose from the list of team members."


def _bad_list(name: str) -> str | None:
    if name in schema.LISTS:
        return None
    return "List not valid. Please choose from: 'Backlog', 'In Progress', 'In Review', 'Completed'."


def _bad_board(name: str) -> str | None:
    if name in schema.BOARDS:
        return None
    return "Board not valid. Please choose from: 'Back end', 'Front end', 'Design'."


TOOLKIT = Toolkit.of(
    "project_management",
    "the tasks on the three project boards",
    (create_task, delete_task, update_task, get_task_information_by_id, search_tasks),
)
