"""A suite's tasks for inspect_ai."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from worksmith.tools.errors import needing

if TYPE_CHECKING:
    import dspy
    from inspect_ai import Task
    from inspect_ai.model import Model
    from inspect_ai.tool import ToolSource

    from worksmith.evals.suite import Suite
    from worksmith.exports.choice import TaskChoice

__all__ = ["episode_tools", "inspect_model", "inspect_task"]


def inspect_task(
    suite: Suite | Path | str,
    *,
    toolset: str | None = None,
    max_steps: int = 20,
    solver: Any = None,
    **choice: Unpack[TaskChoice],
) -> Task:
    """A suite's tasks as a `Task` of inspect_ai, scored as `worksmith eval` scores them.

    Each sample and epoch has its own episode, which the setup opens. The system message, the user's
    request and the tools are those of `AgentTask`. A solver finds the tools in `state.tools`; an agent of
    inspect_ai gets them by `episode_tools`.

    Args:
        suite: an open one, or its folder.
        toolset: the tools on offer, see `OwnAgent`.
        max_steps: the most requests to the model in an episode.
        solver: a solver or agent of inspect_ai; default is their `react`, until the model calls no tool, or
            `finish`.
        choice: `split`, `limit`, `where` and `scheme`, see `worksmith.exports.choice.TaskChoice`.

    Returns:
        The task. Its samples have the id and the request of a task, and in their metadata persona, clock,
        intent and toolkits; no truth is in them.

    Raises:
        InputError: inspect_ai is not installed, a setting is wrong, or no task fits.

    Example:
        >>> import inspect_ai
        >>> inspect_ai.eval(inspect_task("helpdesk", split="dev"), model="openai/gpt-4o-mini")
    """
    with needing("tasks for inspect_ai", "inspect"):
        from worksmith.exports.inspect.task import made_task
    from worksmith.exports.choice import chosen_tasks

    opened, name, tasks = chosen_tasks(suite, **choice)
    return made_task(opened, name, tasks, toolset=toolset, max_steps=max_steps, solver=solver)


def episode_tools() -> ToolSource:
    """The tools of the running sample's episode, for agents that are made before any sample.

    Raises:
        InputError: inspect_ai is not installed.

    Example:
        >>> from inspect_ai.agent import react
        >>> task = inspect_task("helpdesk", solver=react(tools=[episode_tools()]))
    """
    with needing("tools for inspect_ai", "inspect"):
        from worksmith.exports.inspect.tools import EpisodeTools
    return EpisodeTools()


def inspect_model(model: dspy.LM | str) -> Model:
    """A model for inspect_ai; on the command line it is `--model worksmith/NAME`.

    inspect_ai's own clients of OpenAI want a newer `openai` than LiteLLM takes, so that they may not work
    beside worksmith.

    Args:
        model: a `dspy.LM`, or a name as `--lm` takes it, such as `openai/gpt-4o-mini`. Agents of inspect_ai
            need one with native tool calls.

    Raises:
        InputError: inspect_ai is not installed, or the model is unknown.
    """
    with needing("models for inspect_ai", "inspect"):
        from inspect_ai.model import get_model
    import worksmith.exports.inspect.registry  # noqa: F401  # makes the name known

    if isinstance(model, str):
        return get_model(f"worksmith/{model}")
    return get_model(f"worksmith/{model.model}", lm=model, memoize=False)
