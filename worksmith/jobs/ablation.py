"""Programs that do without a category of tools, beside the same programs with all of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from programs.parts.tool_retrieval import toolkits_on_offer
from tools.errors import InputError
from worksmith.jobs.session import new_agent

if TYPE_CHECKING:
    from evals.running.study import Arm
    from worksmith.jobs.study import StudyPlan


def categories_named(values: Sequence[str]) -> list[str]:
    """The categories in the values of a repeatable option, each of which may name several; each once.

    Raises:
        InputError: there are values, but nothing in them.
    """
    names = [name.strip() for value in values for name in value.split(",")]
    found = list(dict.fromkeys(name for name in names if name))
    if values and not found:
        raise InputError("no category is named", where="--without-tools", hint="leave it out to run all")
    return found


def ablated(plan: StudyPlan, arms: Sequence[Arm], categories: Sequence[str]) -> list[Arm]:
    """The arms, each followed by the same program without the functions of each category.

    A program that is offered none of a category's functions has nothing to do without and is left alone.

    Raises:
        InputError: the kind of world has no such category, or no program is offered any of its functions.
    """
    known = plan.suite.env.kind.categories
    plan.suite.env.kind.toolset(None, categories)  # says what categories there are
    found: list[Arm] = []
    for arm in arms:
        offer = frozenset() if arm.baseline else _offered(plan, arm)
        less = [category for category in categories if not offer.isdisjoint(known[category])]
        found += [arm, *(without_category(name, arm, plan.suite.env.kind.stand_ins) for name in less)]
    _check(found, categories)
    return found


def without_category(category: str, arm: Arm, stand_ins: Sequence[str]) -> Arm:
    """The arm without a category; where arms say which toolsets they have, with the tools in its place."""
    settings = dict(arm.settings)
    if "toolset" in settings:
        settings["toolset"] = "+".join(dict.fromkeys([*settings["toolset"].split("+"), *stand_ins]))
    return replace(arm, label=f"{arm.label} without {category}", without=category, settings=settings)


def _offered(plan: StudyPlan, arm: Arm) -> frozenset[str]:
    """The functions that a program is offered for any of the tasks."""
    agent = new_agent(plan.suite, arm.strategy, plan.toolset, plan.max_steps, plan.access)
    domains = {domain for task in plan.tasks for domain in task.domains}
    toolkits = toolkits_on_offer(agent.toolset, tuple(sorted(domains)))
    return frozenset(name.partition(".")[2] for name in plan.suite.env.kind.toolset(toolkits))


def _check(arms: Sequence[Arm], categories: Sequence[str]) -> None:
    unused = [category for category in categories if category not in {arm.without for arm in arms}]
    if unused:
        raise InputError(
            f"no program is offered any function of the category {unused[0]}",
            where="--without-tools",
            hint="choose other strategies or another --toolset",
        )
