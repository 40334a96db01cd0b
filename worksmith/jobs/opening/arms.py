"""The arms of a comparison: strategies with optimizers on models, baselines, and arms without some tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import Progress
from worksmith.evals.running.baseline_program import baselines_for
from worksmith.evals.running.study import StudyArm
from worksmith.jobs.opening.own_programs import own_name
from worksmith.jobs.opening.programs import new_agent, toolset_of
from worksmith.models.resolve import OWN
from worksmith.programs.parts.tool_retrieval import toolkits_on_offer
from worksmith.programs.strategies import strategy
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.evals.suite import Suite
    from worksmith.evals.tasks.task import Task
    from worksmith.jobs.settings.programs import CompareSettings

NO_OPTIMIZER = "none"


def strategies_for(
    names: Sequence[str], tasks: Sequence[Task], progress: Progress, project: Path | None = None
) -> list[str]:
    """The names of the strategies called so, without `gold` where some task has no gold plan to give."""
    known = [strategy(name, project=project).name for name in names]
    gold = [name for name in known if strategy(name).planner.startswith("gold")]
    if gold and any(task.gold_plan is None for task in tasks) and len(known) > len(gold):
        progress.say(f"leaving out strategy {', '.join(gold)}: not every task has a gold plan")
        return [name for name in known if name not in gold]
    return known


def study_arms(
    suite: Suite, settings: CompareSettings, strategies: Sequence[str], *, learning: bool
) -> list[StudyArm]:
    """Every strategy and named program with every optimizer on every model, then agents and baselines.

    A strategy with a model's plan has an arm for each model that plans. Labels name the model where there are
    several, and the one that plans; settings name the toolset where arms have different ones.

    Args:
        learning: whether there are tasks that a baseline may learn from.

    Raises:
        InputError: models are to plan, and no strategy has a plan of a model.
    """
    planned = {name for name in strategies if strategy(name).planner == "model"}
    if settings.planners and not planned:
        raise InputError(
            "none of the strategies has a model plan", where="--planner-lm", hint="add plan to --strategies"
        )
    tools = {name: toolset_of(suite, settings, name) for name in strategies}
    differ = len(set(tools.values())) > 1
    arms = []
    for model, name, chosen in product(settings.lm, strategies, settings.optimizers):
        for planner in (settings.planners if name in planned else ()) or ("",):
            by = f"{name} by {planner}" if planner else name
            made = by if chosen == NO_OPTIMIZER else f"{by} + {chosen}"
            arms.append(
                StudyArm(
                    f"{made}, {model}" if len(settings.lm) > 1 else made,
                    strategy=name,
                    optimizer=chosen,
                    model=model,
                    planner=planner,
                    settings={"toolset": tools[name]} if differ else {},
                )
            )
    for model, named, chosen in product(settings.lm, settings.programs, settings.optimizers):
        own = named if own_name(named) else Path(named).stem
        made = own if chosen == NO_OPTIMIZER else f"{own} + {chosen}"
        label = f"{made}, {model}" if len(settings.lm) > 1 else made
        arms.append(StudyArm(label, strategy=own, optimizer=chosen, model=model, settings={"program": named}))
    asked = models_of_agents(settings)
    for model, address in product(asked, settings.agents):
        label = f"{address}, {model}" if len(asked) > 1 else address
        arms.append(
            StudyArm(
                label, strategy=address, optimizer=NO_OPTIMIZER, model=model, settings={"agent": address}
            )
        )
    names = baselines_for(suite.env, learning=learning)
    return arms + [StudyArm(name, strategy=name, baseline=True) for name in names]


def models_of_agents(settings: CompareSettings) -> Sequence[str]:
    """The models of agents, which may ask their own if none is named."""
    return settings.lm if "lm" in settings.model_fields_set else [OWN]


def ablated(
    suite: Suite, tasks: Sequence[Task], arms: Sequence[StudyArm], settings: CompareSettings
) -> list[StudyArm]:
    """The arms, each followed by the same program without the functions of each category of `settings`.

    A program that is offered none of a category's functions has nothing to do without and is left alone.
    """
    kind, categories = suite.env.kind, settings.without_tools
    kind.toolset(None, categories)  # raises for an unknown category
    found: list[StudyArm] = []
    for arm in arms:
        fixed = arm.baseline or not arm.settings.keys().isdisjoint({"agent", "program"})
        offer = frozenset() if fixed else _offered(suite, tasks, settings, arm.strategy)
        less = [category for category in categories if not offer.isdisjoint(kind.categories[category])]
        found += [arm, *(without_category(name, arm, kind.stand_ins) for name in less)]
    _check(found, categories)
    return found


def without_category(category: str, arm: StudyArm, stand_ins: Sequence[str]) -> StudyArm:
    """The arm without a category; for arms with named toolsets, with the tools in its place."""
    settings = dict(arm.settings)
    if "toolset" in settings:
        settings["toolset"] = "+".join(dict.fromkeys([*settings["toolset"].split("+"), *stand_ins]))
    return replace(arm, label=f"{arm.label} without {category}", without=category, settings=settings)


def _offered(suite: Suite, tasks: Sequence[Task], settings: CompareSettings, strategy: str) -> frozenset[str]:
    """The functions that a program is offered for any of the tasks."""
    agent = new_agent(suite, settings, strategy)
    domains = {domain for task in tasks for domain in task.domains}
    toolkits = toolkits_on_offer(agent.toolset, tuple(sorted(domains)))
    return frozenset(name.partition(".")[2] for name in suite.env.kind.toolset(toolkits))


def _check(arms: Sequence[StudyArm], categories: Sequence[str]) -> None:
    unused = [category for category in categories if category not in {arm.without for arm in arms}]
    if unused:
        raise InputError(
            f"no program is offered any function of the category {unused[0]}",
            where="--without-tools",
            hint="choose other strategies or another --toolset",
        )
