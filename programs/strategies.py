"""Planning strategies, as data: one agent loop reads these switches, unless a strategy has its own loop.

A package offers a strategy by an entry point of the group `worksmith.strategies`:

    CAREFUL = Strategy("a thought before each call", thought=True, stepwise=True)

    [project.entry-points."worksmith.strategies"]
    careful = "my_package.strategies:CAREFUL"

`Agent` reads the switches when it is made; `EpisodeLoop` follows them. A strategy whose order of steps
differs brings a subclass of `EpisodeLoop` as `loop`. docs/how-to/add-a-strategy.md has both.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from worksmith.evals.dspy_programs.own_code import is_address, own_object
from worksmith.tools.canonical import path
from worksmith.tools.errors import InputError, names_instead
from worksmith.tools.registry import Registry

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
        loop: a subclass of `EpisodeLoop` that works in its place. No file names it: who opens a program has
            the strategy installed, or names its module.
    """

    name: str
    summary: str
    planner: PlanSource = "nobody"
    thought: bool = False
    stepwise: bool = True
    revisions: int = 0
    prompt: str = "auto"
    loop: type[Any] | None = None

    def to_json(self) -> dict[str, Any]:
        told = {name: value for name, value in asdict(self).items() if name != "loop"}
        return told if self.loop is None else {**told, "loop": path(self.loop)}


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


PLUGINS = Registry("worksmith.strategies", Strategy, "strategy")
"""The strategies of installed packages, and those that this process named by their address."""


def known_strategy(name: str) -> Strategy | None:
    """The strategy of this name here or in an installed package; None if it is unknown."""
    return STRATEGIES.get(name) or (PLUGINS.get(name) if name in PLUGINS else None)


def strategy(given: str | Strategy, *, project: Path | None = None) -> Strategy:
    """A strategy by its name or address (`package.module:NAME`), or `given` itself if it is one.

    Args:
        project: the folder of the environment, see `own_object`.

    Raises:
        InputError: the strategy is unknown, or an address leads to something else.
    """
    if isinstance(given, Strategy):
        return given
    if (known := known_strategy(given)) is not None:
        return known
    if not is_address(given):
        others = names_instead(given, [*STRATEGIES, *PLUGINS.names()])
        hint = f"{others}, and package.module:NAME for one of yours"
        raise InputError(f"no strategy {given!r}", hint=hint)
    found = own_object(given, where="--strategy", project=project)
    if not isinstance(found, Strategy):
        raise InputError(f"{given} is not a Strategy", where="--strategy", hint="it needs a name")
    if known_strategy(found.name) not in (None, found):
        hint = "give a strategy of your own a name of its own"
        raise InputError(f"there is another strategy {found.name!r}", where=given, hint=hint)
    PLUGINS.register(found)
    return found
