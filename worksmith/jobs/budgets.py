"""Budgets of evaluations: models that are counted, and who may start an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import dspy

    from optimizers.cost.budget import Account, Budget


def counted(lm: dspy.LM, budget: Budget | None) -> dspy.LM:
    """The same model; its requests are counted where there is a budget."""
    return lm if budget is None else budget.counted(lm)


def admission(lm: dspy.LM, budget: Budget | None) -> Account | None:
    """Who is asked before each episode that asks `lm`; nobody where there is no budget."""
    from evals.dspy_programs.digests import model_name

    return None if budget is None else budget.account(model_name(lm))
