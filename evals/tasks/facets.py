"""Facets of tasks: properties by which scores are broken down and tasks are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worksmith.evals.tasks.task import Task

Facets = Mapping[str, Callable[[Task], str]]
"""By name, the value of a task; empty for a task without one."""

FACETS: Facets = {
    "area": lambda task: task.area,
    "type": lambda task: task.type or "",
    "difficulty": lambda task: task.difficulty or "",
    "department": lambda task: task.persona.department if task.persona else "",
    "level": lambda task: f"{task.persona.level:02}" if task.persona and task.persona.level else "",
}
"""The facets of every kind that declares no others."""
