"""Planning strategies, as data: one agent loop reads these switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tools.errors import InputError

PlanSource = Literal["nobody", "model", "gold", "gold with arguments"]


@dataclass(frozen=True)
class Strategy:
    """How an agent plans.

    Attributes:
        summary: what it does, in a few words.
        planner: who makes a plan before the first call.
        thought: whether the model writes down a thought before its calls.
        stepwise: one call at a time, each after the observation of the one before; otherwise all calls
            at once.
        revisions: how often the plan may be revised in an episode when a step fails.
    """

    name: str
    summary: str
    planner: PlanSource = "nobody"
    thought: bool = False
    stepwise: bool = True
    revisions: int = 0


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
    )
}
"""The strategies there are, by name, in the order of tables."""


def strategy(name: str) -> Strategy:
    """The strategy called `name`.

    Raises:
        InputError: if there is none.
    """
    if name not in STRATEGIES:
        raise InputError(f"no strategy {name!r}", hint=f"there are {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
