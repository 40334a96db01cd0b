"""The options of budgets, and how commands end whose budget is spent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from worksmith.cli.options import say

if TYPE_CHECKING:
    import dspy

    from evals.lm.prices import Prices
    from optimizers.cost.budget import Budget

SPENT = 3
"""The exit code of a command that stopped at a limit, so that what it reports is not all of it."""

_UNDER = "Budget"

MaxCallsOption = Annotated[
    int | None,
    typer.Option(
        help="Stop before more paid requests to models than that, further tries included.",
        rich_help_panel=_UNDER,
    ),
]
MaxTokensOption = Annotated[
    int | None, typer.Option(help="Stop before more paid tokens than that.", rich_help_panel=_UNDER)
]
MaxUsdOption = Annotated[
    float | None,
    typer.Option(
        help="Stop before more dollars than that; the prices of all models must be known.",
        rich_help_panel=_UNDER,
    ),
]
MaxMinutesOption = Annotated[
    float | None, typer.Option(help="Stop before more minutes than that.", rich_help_panel=_UNDER)
]
PricesOption = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="Table of prices (TOML): input and output of each model in dollars per million tokens.",
        show_default="list prices",
        dir_okay=False,
        rich_help_panel=_UNDER,
    ),
]


class Bounds(NamedTuple):
    """The limits and the table of prices as they were given."""

    max_calls: int | None
    max_tokens: int | None
    max_usd: float | None
    max_minutes: float | None
    prices: Path | None

    def read_prices(self) -> Prices:
        """The prices, in use from here on.

        Raises:
            InputError: the table is none.
        """
        from evals.lm.prices import Prices, use_prices

        found = Prices.read(self.prices) if self.prices else Prices()
        use_prices(found)
        return found

    def budget(self, models: Iterable[dspy.LM]) -> Budget | None:
        """The budget, None where nothing is limited.

        Raises:
            InputError: a limit makes no sense, the table of prices is none, or dollars are limited and the
                price of a model is not known.
        """
        from evals.dspy_programs.digests import model_name
        from optimizers.cost.budget import Budget
        from optimizers.cost.limits import Limits

        prices = self.read_prices()
        budget = Budget(Limits(*self[:4]), prices=prices)
        for lm in models:
            budget.account(model_name(lm))
        return budget if budget.limits.given else None


def end_stopped(budget: Budget | None, undone: str) -> None:
    """Fail where the budget was spent before everything was done, after saying what is not.

    Raises:
        Exit: with `SPENT`.
    """
    if budget is None or not budget.stopped:
        return
    say(f"stopped by --{budget.stopped.replace('_', '-')}: {undone}")
    raise typer.Exit(SPENT)
