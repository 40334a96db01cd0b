"""The tool calls of generated records as worksmith's gold plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from worksmith.evals.tasks.task import Action, Answer, Step, Task
from worksmith.tools.environment import Environment
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.importing.raw import folded
from worksmith.tools.tool import Tool


class PlanError(Exception):
    """A plan that cannot be made here; the message is the reason."""


def planned(task: Task, calls: Sequence[Mapping[str, Any]], env: Environment) -> Task:
    """The task with its published calls as gold plan. If they change something, the changes are its outcome.

    Args:
        calls: with `tool_name` and `tool_arguments`.

    Raises:
        PlanError: worksmith has no such tool, it takes no such argument, or a call fails for the task's
            persona.
    """
    episode = env.episode(persona=task.persona)
    steps = tuple(_step(call, episode.toolset) for call in calls)
    for step in steps:
        seen = episode.call(step.tool, step.arguments)
        if seen.status != "ok":
            raise PlanError(f"{step.tool}: {seen.text.partition(chr(10))[0]}")
    changes = [step for step in steps if episode.toolset[step.tool].writes]
    if not changes:
        return task.model_copy(update={"gold_plan": steps})
    reference = task.answer.reference if task.answer else ""
    return task.model_copy(
        update={
            "type": "crud",
            "gold_plan": steps,
            "expected": tuple(Action(tool=step.tool, arguments=step.arguments) for step in changes),
            "answer": Answer(kind="done", reference=reference),
            "must_read": (),
            "origin": {**task.origin, "check": "changes"},
        }
    )


def _step(call: Mapping[str, Any], tools: Mapping[str, Tool]) -> Step:
    message = str(call.get("tool_name") or call.get("name") or "")
    given = call.get("tool_arguments", call.get("arguments")) or {}
    name = _names(tuple(tools)).get(folded(message))
    if name is None:
        raise PlanError(f"there is no tool {message!r}")
    if not isinstance(given, Mapping):
        raise PlanError(f"the arguments of {message} are no object")
    arguments = {}
    for argument, value in given.items():
        ours = _argument(name, folded(argument), tools[name].arguments)
        if ours is not None and value not in (None, ""):
            arguments[ours] = str(value)
    return Step(tool=name, arguments=arguments)


def _argument(tool: str, said: str, known: Sequence[str]) -> str | None:
    """The name of an argument here; None for those that the tools take from the session.

    Raises:
        PlanError: the tool has no such argument.
    """
    renamed = {**_table()["arguments"], **_table()["by_tool"].get(tool, {})}
    names = {folded(name): name for name in known} | {folded(name): ours for name, ours in renamed.items()}
    found = names.get(said)
    if found in known:
        return found
    if said in {folded(name) for name in (*_table()["dropped"], *renamed)}:
        return None
    raise PlanError(f"{tool} has no argument {said!r}")


@cache
def _names(ours: tuple[str, ...]) -> Mapping[str, str]:
    """Our tools by all their names, folded."""
    own = {folded(name.removesuffix("_issue")): name for name in ours} | {folded(name): name for name in ours}
    return own | {folded(name): tool for name, tool in _table()["tools"].items()}


@cache
def _table() -> Mapping[str, Any]:
    return read_toml(__package__, "plans.toml")
