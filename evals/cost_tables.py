"""What episodes cost: steps, model calls, tokens, time, and dollars where the model has a price."""

from __future__ import annotations

from collections.abc import Iterable

from evals.compare import Study
from evals.prices import dollars, prices_in_use
from evals.runner import EvalResult
from evals.tables import Grid, number


def cost_grid(study: Study) -> Grid:
    """What an episode of each arm cost on average; in dollars as far as prices are known."""
    names = ("steps", "model_calls", "prompt_tokens", "completion_tokens", "seconds")
    paid = {row.arm.label: dollars_an_episode(row.result) for row in study.rows}
    priced = any(paid.values())
    rows = tuple(
        (
            row.arm.shown,
            *(number(row.summary.means.get(name), 2 if name == "seconds" else 1) for name in names),
            *((number(paid[row.arm.label], 4),) if priced else ()),
        )
        for row in study.ordered
    )
    headings = ("program", *(name.replace("_", " ") for name in names), *(("dollars",) if priced else ()))
    notes = _notes((row.result for row in study.rows), priced=priced)
    return Grid("Costs, mean an episode", headings, rows, notes)


def result_cost_grid(result: EvalResult) -> Grid:
    """What the episodes of one program cost."""
    summary = result.summary
    rows = [
        (name.replace("_", " "), number(summary.means[name], 2), number(summary.totals[name], 0))
        for name in summary.means
    ]
    price = dollars_an_episode(result)
    if price:
        rows.append(("dollars", number(price, 4), number(price * summary.episodes, 2)))
    slow = f"95 % of the episodes took at most {number(summary.seconds_p95, 2)} s."
    return Grid(
        "Costs", ("cost", "mean an episode", "total"), tuple(rows), (slow, *_notes([result], bool(price)))
    )


def _notes(results: Iterable[EvalResult], priced: bool) -> tuple[str, ...]:
    """By which prices, and whose are not known."""
    source = prices_in_use().source
    by = f"the prices in {source}, else by list prices" if source else "list prices"
    notes = (f"Dollars by {by}; discounts for cached prompts are left out.",) if priced else ()
    unknown = {
        r.model: None
        for r in results
        if r.summary.means.get("prompt_tokens") and dollars_an_episode(r) is None
    }
    return notes + tuple(f"The price of {model} is not known; --prices FILE can say it." for model in unknown)


def dollars_an_episode(result: EvalResult) -> float | None:
    """What an episode cost on average, if the price of its model is known."""
    means = result.summary.means
    if not means.get("prompt_tokens"):
        return None
    return dollars(result.model, means["prompt_tokens"], means["completion_tokens"])
