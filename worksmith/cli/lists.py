"""Options that are comma-separated names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worksmith.cli.options import say

if TYPE_CHECKING:
    from evals.tasks.task import Task


def names_listed(text: str, option: str) -> list[str]:
    """The names in `text`.

    Raises:
        InputError: there are none, or one is there twice.
    """
    from tools.errors import InputError

    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or len(set(names)) < len(names):
        raise InputError("names must be given, each once", where=option, hint=f"got {text!r}")
    return names


def strategies_listed(text: str, tasks: list[Task]) -> list[str]:
    """The strategies asked for, without `gold` where some task has no gold plan to give."""
    from programs.strategies import strategy

    names = [strategy(name).name for name in names_listed(text, "--strategies")]
    with_gold = [name for name in names if strategy(name).planner.startswith("gold")]
    if with_gold and any(task.gold_plan is None for task in tasks) and len(names) > len(with_gold):
        say(f"leaving out strategy {', '.join(with_gold)}: not every task has a gold plan")
        return [name for name in names if name not in with_gold]
    return names


def optimizers_listed(text: str) -> list[str]:
    """The optimizers asked for, each one that there is."""
    from optimizers.registry import optimizer

    names = names_listed(text, "--optimizers")
    for name in names:
        optimizer(name, option="--optimizers")
    return names
