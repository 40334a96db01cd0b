"""Programs that do without a category of tools, beside the same programs with all of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from programs.parts.tool_retrieval import toolkits_on_offer
from tools.errors import InputError
from worksmith.jobs.parts.programs import new_agent

if TYPE_CHECKING:
    from evals.running.study import Arm
    from evals.suite import Suite
    from evals.tasks.task import Task
    from worksmith.jobs.settings.programs import CompareSettings


def ablated(suite: Suite, tasks: Sequence[Task], arms: Sequence[Arm], settings: CompareSettings) -> list[Arm]:
    """The arms, each followed by the same program without the functions of each category of `settings`.

    A program that is offered none of a category's functions has nothing to do without and is left alone.
    """
    kind, categories = suite.env.kind, settings.without_tools
    kind.toolset(None, categories)  # raises where there is no such category
    found: list[Arm] = []
    for arm in arms:
        offer = frozenset() if arm.baseline else _offered(suite, tasks, settings, arm.strategy)
        less = [category for category in categories if not offer.isdisjoint(kind.categories[category])]
        found += [arm, *(without_category(name, arm, kind.stand_ins) for name in less)]
    _check(found, categories)
    return found


def without_category(category: str, arm: Arm, stand_ins: Sequence[str]) -> Arm:
    """The arm without a category; where arms say which toolsets they have, with the tools in its place."""
    settings = dict(arm.settings)
    if "toolset" in settings:
        settings["toolset"] = "+".join(dict.fromkeys([*settings["toolset"].split("+"), *stand_ins]))
    return replace(arm, label=f"{arm.label} without {category}", without=category, settings=settings)


def _offered(suite: Suite, tasks: Sequence[Task], settings: CompareSettings, strategy: str) -> frozenset[str]:
    """The functions that a program is offered for any of the tasks."""
    agent = new_agent(suite, settings.model_copy(update={"calls": "auto"}), strategy)
    domains = {domain for task in tasks for domain in task.domains}
    toolkits = toolkits_on_offer(agent.toolset, tuple(sorted(domains)))
    return frozenset(name.partition(".")[2] for name in suite.env.kind.toolset(toolkits))


def _check(arms: Sequence[Arm], categories: Sequence[str]) -> None:
    unused = [category for category in categories if category not in {arm.without for arm in arms}]
    if unused:
        raise InputError(
            f"no program is offered any function of the category {unused[0]}",
            where="--without-tools",
            hint="choose other strategies or another --toolset",
        )
