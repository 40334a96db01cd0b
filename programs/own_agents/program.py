"""Agents of any framework as programs."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import dspy

from worksmith.evals.dspy_programs.asked import asked
from worksmith.evals.dspy_programs.event_loop import awaited
from worksmith.evals.lm.failures import Ended
from worksmith.evals.lm.metering import answers_so_far, count_reported, requests_so_far
from worksmith.evals.lm.payer import AdmissionError
from worksmith.programs.own_agents.opened import OpenedTask
from worksmith.programs.own_agents.task import AgentTask, Answer
from worksmith.programs.parts.tool_retrieval import (
    check_toolset,
    tools_a_step,
)
from worksmith.tools.code import code_digest
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import VisibleTask
    from worksmith.tools.environment import Environment

Returned = str | Answer | None
AgentFunction = Callable[[AgentTask], Returned | Awaitable[Returned]]


class OwnAgent:
    """An agent of any framework: a function that does a task with its tools and returns an answer.

    An asynchronous function runs in one event loop with all others, so that they may share a client; it must
    not block. The function may ask its models in any way. Requests of DSPy's model are counted; others are
    reported with `task.usage.add`, and are else shown as unknown.

    Args:
        function: takes an `AgentTask`; returns the final message, an `Answer`, or None after `task.finish`.
            It may be asynchronous.
        env: the environment in which episodes are opened; `ws.evaluate` sets it.
        name: in tables; default is the function's.
        toolset: the tools on offer: `required` by the task, `all`, or toolkits by name, joined by `+`. None
            stands for those that the world offers by default.
        max_steps: the agent's `task.max_steps`.

    Raises:
        InputError: the toolset is unknown, or `function` is not callable.

    Example:
        >>> def my_agent(task: ws.AgentTask) -> str:
        ...     return "I do nothing."
        >>> result = ws.evaluate(ws.OwnAgent(my_agent), suite.test, lm="own", progress=False)
        >>> result.summary.graded
        16
    """

    counts_itself = True
    """Its usage is unknown without a report."""

    def __init__(
        self,
        function: AgentFunction,
        env: Environment | None = None,
        *,
        name: str = "",
        toolset: str | None = None,
        max_steps: int = 20,
    ) -> None:
        if isinstance(function, dspy.Module | type) or not callable(function):
            raise InputError(
                f"{function!r} is not an agent",
                hint="give a function of a task; a dspy.Module is a program and needs no wrapper",
            )
        if not _takes_a_task(function):
            raise InputError(
                f"{function!r} takes no task", hint="give a function that can be called with one argument"
            )
        if toolset is not None and tools_a_step(toolset):
            raise InputError(
                f"the tools of {toolset} change at each step, and an own agent gets its tools once",
                where="toolset",
                hint="take all, required, or toolkits by name",
            )
        self.function, self.max_steps = function, max_steps
        self.strategy = name or getattr(function, "__name__", type(function).__name__)
        self._toolset = toolset
        self.env = env
        if toolset is not None:
            check_toolset(toolset, (), env)

    @property
    def config(self) -> dict[str, object]:
        """The settings, as JSON-able data."""
        return {"agent": self.strategy, "toolset": self._toolset or "", "max_steps": self.max_steps}

    @property
    def digest(self) -> str:
        """The content address of the settings."""
        return digest(self.config)

    @property
    def code_digest(self) -> str:
        """The content address of the function's code."""
        return code_digest(self.function)

    def bound(self, env: Environment) -> OwnAgent:
        """The agent in an environment.

        Raises:
            InputError: it works in another one.
        """
        if self.env not in (None, env):
            raise InputError(
                "the agent works in another environment than the tasks", hint="make it with suite.env"
            )
        made = OwnAgent(self.function, env, name=self.strategy, max_steps=self.max_steps)
        made._toolset = self._toolset
        return made

    def __call__(self, task: VisibleTask | str, persona: str | int | None = None) -> dspy.Prediction:
        """Do a task in a new episode.

        Args:
            task: a task of a suite, or a text.
            persona: the id of the person who asks a text; None for the world's own persona.

        Returns:
            A prediction with `answer`, `episode` and `changes`, see `Agent.forward`. Errors of the agent are
            in the episode's status.

        Raises:
            InputError: the environment is missing, or a setting is wrong.
            AdmissionError: the budget is spent.
        """
        if self.env is None:
            raise InputError("the agent has no environment", hint="give env=...")
        before, asked_before = answers_so_far(), requests_so_far()
        if isinstance(task, str):
            self.env.refresh()
        given = asked(task, self.env, persona)
        opened = OpenedTask(self.env, given, toolset=self._toolset, max_steps=self.max_steps)
        answer, ended = self._run(opened)
        counted, reported = answers_so_far() - before, opened.task.usage
        # A request that failed was counted as well.
        usage = reported.total(unknown=not counted and requests_so_far() == asked_before)
        count_reported(usage, reported.requests)
        result = opened.result(answer, ended, usage, model_calls=reported.requests + counted)
        return dspy.Prediction(answer=answer.text, episode=result, changes=opened.changes(result))

    def _run(self, opened: OpenedTask) -> tuple[Answer, Ended]:
        returned: Returned = None
        failed: Exception | None = None
        try:
            found = self.function(opened.task)
            returned = awaited(found) if inspect.isawaitable(found) else found
        except (InputError, AdmissionError):
            raise
        except Exception as error:
            failed = error
        except (SystemExit, GeneratorExit, asyncio.CancelledError) as error:
            failed = RuntimeError(f"the agent raised {type(error).__name__}")
            failed.__cause__ = error
        finally:
            opened.task.tools.end()
        return opened.ended(returned, failed)


def _takes_a_task(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument, by its signature."""
    try:
        with suppress(ValueError):  # it has no signature
            inspect.signature(function).bind(None)
    except TypeError:
        return False
    return True
