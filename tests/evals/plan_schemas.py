"""Whether gold plans keep to the schemas of the tools that they call."""

from __future__ import annotations

from collections.abc import Iterable

from jsonschema import Draft202012Validator

from worksmith.evals.tasks.task import Task
from worksmith.tools.world_kind import WorldKind


def misfits(kind: WorldKind, tasks: Iterable[Task]) -> list[str]:
    """The steps of gold plans whose arguments no schema allows; at least one plan has to be there."""
    tools = {tool.name: tool for kit in kind.toolkits for tool in kit.tools}
    schemas = {name: Draft202012Validator(tool.parameters) for name, tool in tools.items()}
    plans = [plan for task in tasks for plan in (task.gold_plan, *task.other_plans) if plan]
    assert plans
    return [
        f"{step.tool} {step.arguments}: {error.message}"
        for step in (step for plan in plans for step in plan)
        for error in schemas[step.tool].iter_errors(dict(step.arguments))
    ]
