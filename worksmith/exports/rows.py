"""The visible parts of tasks as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worksmith.programs.own_agents.opened import OpenedTask

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task


def row_of(suite: Suite, task: Task) -> dict[str, Any]:
    """The visible part of a task as JSON-able data; no expectation is in it.

    Returns:
        `id`, `query`, `context` (the clock, the person and the policies, as an agent's prompt has them),
        `persona` without the fields that only rules see, `now` and `domains`.
    """
    shown = OpenedTask(suite.env, task.visible()).task
    return {
        "id": task.id,
        "query": task.query,
        "context": shown.context,
        "persona": shown.persona.model_dump(mode="json", exclude_defaults=True),
        "now": shown.now.isoformat(),
        "domains": list(task.domains),
    }
