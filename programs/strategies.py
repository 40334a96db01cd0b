"""Planning strategies, as data: one agent loop reads these switches."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from worksmith.tools.errors import InputError

PlanSource = Literal["nobody", "model", "gold", "gold with arguments"]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Strategy:
    """How an agent plans.

    Attributes:
        summary: a few words for tables.
        planner: the source of a plan before the first call.
        thought: whether the model writes down a thought before its calls.
        stepwise: one call at a time, each after the observation of the one before; otherwise all calls
            at once.
        revisions: how often the plan may be revised in an episode when a step fails.
        prompt: the form of prompts, unless the agent has another; see `worksmith.programs.prompting.forms`.
    """

    name: str
    summary: str
    planner: PlanSource = "nobody"
    thought: bool = False
    stepwise: bool = True
    revisions: int = 0
    prompt: str = "auto"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("direct", "all calls at once", stepwise=False),
        Strategy("cot", "a chain of thought, then all calls at once", thought=True, stepwise=False),
        Strategy("act", "one call at a time"),
        Strategy("react", "one call at a time, a thought before each", thought=True),
        Strategy("plan", "a plan first, then one call at a time", planner="model", revisions=2),
        Strategy("gold", "the task's gold plan without arguments, then one call at a time", planner="gold"),
        Strategy(
            "gold-arguments",
            "the task's gold plan with arguments, then one call at a time",
            planner="gold with arguments",
        ),
        Strategy(
            "function_calling",
            "one call at a time, as the model's own tool calls",
            prompt="native",
        ),
    )
}
"""The strategies there are, by name, in the order of tables."""


def strategy(given: str | Strategy) -> Strategy:
    """The strategy called `given`, or `given` itself if it is one.

    Raises:
        InputError: there is no such strategy.
    """
    if isinstance(given, Strategy):
        return given
    if given not in STRATEGIES:
        raise InputError(f"no strategy {given!r}", hint=f"there are {', '.join(STRATEGIES)}")
    return STRATEGIES[given]
