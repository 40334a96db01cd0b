"""Budgets of jobs: limits from settings, models that are counted, leave to start an episode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.prices import Prices, use_prices
from worksmith.models.named import prices_of_models
from worksmith.optimizers.cost.budget import Budget

if TYPE_CHECKING:
    from pathlib import Path

    import dspy

    from worksmith.jobs.settings.groups.episodes import BudgetSettings
    from worksmith.optimizers.cost.budget import Account


def open_budget(
    settings: BudgetSettings, models: Iterable[dspy.LM], given: Budget | None = None
) -> Budget | None:
    """The budget of a job, None without a limit; its prices are in use from here on.

    Args:
        given: comes before that of the settings.

    Raises:
        InputError: a limit or the table of prices is invalid, or dollars are limited and the price of a model
            is unknown.
    """
    prices = prices_of(settings.prices)
    budget = given or Budget(
        usd=settings.max_usd,
        calls=settings.max_calls,
        tokens=settings.max_tokens,
        minutes=settings.max_minutes,
        prices=prices,
    )
    use_prices(budget.prices)
    for lm in models:
        budget.account(model_name(lm))
    return budget if given or budget.limits.given else None


def prices_of(table: Path | None) -> Prices:
    """The prices in use: of models that were opened with one, of the user's table, of the list.

    Raises:
        InputError: the table is invalid.
    """
    prices = Prices.read(table) if table else Prices()
    return replace(prices, own={**prices.own, **prices_of_models()})


def counted(lm: dspy.LM, budget: Budget | None) -> dspy.LM:
    """The same model; its requests are counted where there is a budget."""
    return lm if budget is None else budget.counted(lm)


def admission(lm: dspy.LM, budget: Budget | None) -> Account | None:
    """The account that admits the episodes which ask `lm`; None without a budget."""
    return None if budget is None else budget.account(model_name(lm))
