"""What `worksmith compare` says: before, what it would take; as arms are done; and after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    from evals.running.study import Arm, Row, Study
    from worksmith.jobs.study import StudyPlan


def tell(row: Row) -> None:
    """Say how an arm did."""
    from evals.table import percent
    from optimizers.registry import OPTIMIZERS
    from worksmith.jobs.session import losses, lost_verdicts

    chosen = OPTIMIZERS.get(row.arm.optimizer)
    if chosen is not None and chosen.differs:
        say(f"{row.arm.label}: not as DSPy has it: {chosen.differs}")
    say(f"{row.arm.label}: outcome {percent(row.summary.scores.get('outcome'))} %")
    for lost in filter(None, (losses(row.result), lost_verdicts(row.result))):
        say(f"{row.arm.label}: {lost}")


def show_plan(plan: StudyPlan, arms: list[Arm], as_json: bool) -> None:
    """Print what a comparison would take at most."""
    from worksmith.jobs.judges import asked_models
    from worksmith.jobs.study import episodes_at_most

    episodes = episodes_at_most(plan, arms)
    facts = {
        "arms": [arm.label for arm in arms],
        "tasks": len(plan.tasks),
        "episodes_at_most": episodes,
        # A planner's call comes on top of one for each step.
        "model_calls_at_most": sum(episodes.values()) * (plan.max_steps + 1),
        **({"judge_calls": _judged(plan, arms) * asked_models(plan.judges)} if plan.judges else {}),
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        shown = [f"{k} {v}" for k, v in value.items()] if isinstance(value, dict) else value
        typer.echo(f"{name.replace('_', ' ')}: {'; '.join(shown) if isinstance(shown, list) else shown}")


def _judged(plan: StudyPlan, arms: list[Arm]) -> int:
    """How many episodes judges are asked about: those of the compared tasks, baselines included."""
    return len(arms) * len(plan.tasks) * plan.trials


def show(study: Study) -> None:
    """Print the tables."""
    from rich.console import Console

    from evals.reporting.report import console_grids
    from evals.reporting.tables.costs import cost_grid

    console = Console()
    for grid in console_grids(study):
        console.print(grid.rich())
    console.print(cost_grid(study).rich())
