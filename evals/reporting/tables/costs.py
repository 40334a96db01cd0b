"""Tables of costs: steps, model calls, tokens, time, and dollars where the model has a price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from worksmith.evals.lm.prices import dollars, prices_in_use
from worksmith.evals.records.models_asked import usage_by_model
from worksmith.evals.records.summary import Summary
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.study import Study
from worksmith.evals.table import Grid, number, share, tokens_shown

_CACHE = ("cached_tokens", "cache_write_tokens")
_CACHED = (
    "Cached: the share of prompt tokens that the provider read from its own cache. How many it finds there "
    "depends on the order and the time of runs, so programs compare by dollars without cache."
)
_USED = "Used tokens are the same whether or not a cache answers; paid are those that reached a model."


def cost_grid(study: Study) -> Grid:
    """The mean cost of an episode of each arm; in dollars as far as prices are known."""
    names = ("steps", "model_calls", "prompt_tokens", "completion_tokens", "paid_tokens", "seconds")
    paid = {row.arm.label: dollars_an_episode(row.result) for row in study.rows}
    full = {row.arm.label: dollars_an_episode(row.result, cached=False) for row in study.rows}
    priced, cached = any(paid.values()), any(row.summary.cached_share for row in study.rows)
    return Grid.of(
        "Costs, mean an episode",
        study.ordered,
        ("program", lambda row: row.arm.shown),
        *((_heading(n), lambda row, n=n: _cell(row.summary, n, row.summary.means.get(n))) for n in names),
        cached and ("cached %", lambda row: share(row.summary.cached_share)),
        priced and ("dollars", lambda row: number(paid[row.arm.label], 4)),
        priced and cached and ("dollars without cache", lambda row: number(full[row.arm.label], 4)),
        notes=_notes((row.result for row in study.rows), priced=priced),
    )


def result_cost_grid(result: EvalResult) -> Grid:
    """The costs of the episodes of one program."""
    summary = result.summary
    rows = [
        (_heading(name), _cell(summary, name, summary.means.get(name), 2), _cell(summary, name, total, 0))
        for name, total in summary.totals.items()
    ]
    if summary.uncounted:
        rows.append(("model calls, tokens", "unknown", "unknown"))
    price = dollars_an_episode(result)
    if price:
        rows.append(("dollars", number(price, 4), number(dollars_in_all(result), 2)))
        if summary.cached_share:
            full = dollars_an_episode(result, cached=False)
            whole = _dollars(result, summary.totals, cached=False)
            rows.append(("dollars without cache", number(full, 4), number(whole, 2)))
    slow = f"95 % of the episodes took at most {number(summary.seconds_p95, 2)} s."
    return Grid(
        "Costs", ("cost", "mean an episode", "total"), tuple(rows), (slow, *_notes([result], bool(price)))
    )


def dollars_an_episode(result: EvalResult, *, cached: bool = True) -> float | None:
    """The mean cost of an episode in dollars; None if the price of the model is unknown.

    Args:
        cached: whether tokens that went through a provider's cache have their own price.
    """
    means = result.summary.means
    return _dollars(result, means, graded=True, cached=cached) if means.get("prompt_tokens") else None


def said_cost(result: EvalResult) -> str:
    """The mean cost of an episode in a few words."""
    means, price = result.summary.means, dollars_an_episode(result)
    tokens = means.get("prompt_tokens", 0.0) + means.get("completion_tokens", 0.0)
    used = "unknown tokens" if result.summary.uncounted else f"{number(tokens, 0)} used tokens"
    paid = f", ${price:.2g}" if price else ""
    return f"{number(means.get('steps'))} steps, {used}, {number(means.get('seconds'), 2)} s{paid}"


def dollars_in_all(result: EvalResult) -> float | None:
    """The cost of all episodes in dollars; None if the price of the model is unknown."""
    return _dollars(result, result.summary.totals)


def _dollars(
    result: EvalResult, tokens: Mapping[str, float], *, graded: bool = False, cached: bool = True
) -> float | None:
    """The price of tokens of a run.

    Args:
        tokens: the mean of graded episodes, or the total of all.
        graded: whether they are that mean.
    """
    names = ("prompt_tokens", "completion_tokens", *(_CACHE if cached else ()))
    if not any(ask.model for record in result.records for ask in record.asks):
        return dollars(result.model, *(tokens.get(name, 0.0) for name in names))
    records = [record for record in result.records if record.graded or not graded]
    found = [
        dollars(model, *(getattr(usage, name) for name in names))
        for record in records
        for model, usage in usage_by_model(record, result.model).items()
    ]
    known = [price for price in found if price is not None]
    return None if len(known) < len(found) else sum(known) / (len(records) if graded else 1)


def _heading(name: str) -> str:
    used = "used " if name in ("prompt_tokens", "completion_tokens", *_CACHE) else ""
    return f"{used}{name.replace('_', ' ')}"


def _cell(summary: Summary, name: str, value: float | None, decimals: int | None = None) -> str:
    """A cost, marked where it is a number of tokens of which some were estimated."""
    if value is None and summary.uncounted:
        return "unknown"
    if decimals is None:
        decimals = 2 if name == "seconds" else 1
    if value is not None and name.endswith("_tokens"):
        return tokens_shown(value, decimals, summary.estimated > 0)
    return number(value, decimals)


def _notes(results: Iterable[EvalResult], priced: bool) -> tuple[str, ...]:
    """Notes on the prices used, on lost and estimated counts, and on models without a price."""
    source = prices_in_use().source
    by = f"the prices in {source}, else by list prices" if source else "list prices"
    notes: tuple[str, ...] = (_USED,)
    if priced:
        notes += (f"Dollars of used tokens by {by}.",)
    results = list(results)
    if any(result.summary.cached_share for result in results):
        notes += (_CACHED,)
    if any(result.summary.errors for result in results):
        notes += ("Means are of graded episodes, totals of all.",)
    if any(result.summary.estimated for result in results):
        notes += ("~ marks tokens of which some were estimated: the server reports none.",)
    if any(result.summary.uncounted for result in results):
        notes += ("Unknown: a program asked models of its own and did not report what that took.",)
    unknown = {
        model: None
        for r in results
        if r.summary.means.get("prompt_tokens") and dollars_an_episode(r) is None
        for model in (r.model, *(ask.model for record in r.records for ask in record.asks if ask.model))
        if dollars(model, 1, 1) is None
    }
    return notes + tuple(f"The price of {model} is not known; --prices FILE can say it." for model in unknown)
