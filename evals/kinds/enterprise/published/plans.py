"""The tool calls of generated records as gold plans of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.kinds.enterprise.published.report import NAMES
from evals.tasks.task import Step
from tools.kinds.enterprise.importing.raw import folded
from tools.tool import Tool


class PlanError(Exception):
    """A call that has no equal among our tools; the message is the reason."""


def plan_of(calls: Sequence[Mapping[str, Any]], tools: Mapping[str, Tool]) -> tuple[Step, ...]:
    """The steps of a published plan, in its order.

    Args:
        calls: with `tool_name` and `tool_arguments`.
        tools: ours, by name.

    Raises:
        PlanError: we have no such tool, or it takes no such argument.
    """
    by_name = {folded(name.replace(".", "")): name for name in tools}
    return tuple(_step(call, tools, by_name) for call in calls)


def _step(call: Mapping[str, Any], tools: Mapping[str, Tool], by_name: Mapping[str, str]) -> Step:
    said = str(call.get("tool_name") or call.get("name") or "")
    name = next((by_name[each] for each in (folded(said), f"{folded(said)}issue") if each in by_name), None)
    if name is None:
        raise PlanError(f"there is no tool {said!r}")
    given = call.get("tool_arguments", call.get("arguments")) or {}
    if not isinstance(given, Mapping):
        raise PlanError(f"the arguments of {said} are no object")
    known = {folded(argument): argument for argument in tools[name].arguments}
    arguments: dict[str, Any] = {}
    for argument, value in given.items():
        ours = _argument(folded(argument), known)
        if ours is not None and value not in (None, ""):
            arguments[ours] = str(value)
    return Step(tool=name, arguments=arguments)


def _argument(said: str, known: Mapping[str, str]) -> str | None:
    """Our name of an argument; None for those by which the original says who calls, which nobody may say here.

    Raises:
        PlanError: the tool has no such argument.
    """
