"""Numbers over days: their summaries, and comparisons with a number of the task or with each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.words import DIRECTIONS
from worksmith.models.analogy.values.moments import Key

SUMMARIES = ("any", "last", "mean", "growth", "first", "sum")
_AMOUNTS = tuple(how for how in SUMMARIES if how != "growth")


def all_series(state: State) -> tuple[tuple[float, ...], ...]:
    found = (call.observation.series for call in state.calls if call.observation.series)
    return state.remember("series", lambda: tuple(tuple(value for _, value in one) for one in found))


def summary(values: tuple[float, ...], how: str) -> float | None:
    if not values:
        return None
    if how == "growth":
        return 100 * (values[-1] - values[0]) / values[0] if values[0] else None
    if how == "mean":
        return sum(values) / len(values)
    if how == "first":
        return values[0]
    return values[-1] if how == "last" else sum(values)


def tests(state: State) -> Iterator[Key]:
    """The comparisons that this state offers."""
    series = all_series(state)
    pools = state.task.pools
    for index in range(len(series)):
        for reading, ways in (("number", _AMOUNTS), ("percent", ("growth",))):
            for nth in range(min(3, len(pools.get(reading, ())))):
                for how, operator in product(ways, ("said", ">", "<")):
                    yield ("against", index, how, operator, reading, nth)
    for one, other in product(range(len(series)), repeat=2):
        if one < other:
            for how in SUMMARIES[1:]:
                yield ("between", one, other, how)
    if len(series) >= 2 and pools.get("percent"):
        for operator in ("said", ">", "<"):
            yield ("across", operator)


def holds(key: Key, state: State) -> bool | None:
    """Whether a comparison holds in this state; None when it cannot be made."""
    series, pools = all_series(state), state.task.pools
    if key[0] == "between":
        if max(key[1], key[2]) >= len(series):
            return None
        one, other = (summary(series[index], key[3]) for index in key[1:3])
        return None if one is None or other is None else one > other
    if key[0] == "across":
        pool = pools.get("percent", ())
        if len(series) < 2 or not pool:
            return None
        ends = (series[0][-1], series[1][-1])
        return _beyond(summary(ends, "growth"), key[1], pool[0], state, True)
    pool = pools.get(key[4], ())
    if key[1] >= len(series) or key[5] >= len(pool):
        return None
    values, signed = series[key[1]], key[4] == "percent"
    if key[2] == "any":
        return any(_beyond(value, key[3], pool[key[5]], state, signed) for value in values)
    return _beyond(summary(values, key[2]), key[3], pool[key[5]], state, signed)


def _beyond(value: float | None, operator: str, token: int, state: State, signed: bool) -> bool | None:
    if value is None:
        return None
    readings = state.task.tokens[token].readings
    bound = float(readings["percent"] if signed else readings["number"])
    sign = direction(token, state) if operator == "said" else (1 if operator == ">" else -1)
    if signed:
        return value > bound if sign > 0 else value < -bound
    return value > bound if sign > 0 else value < bound


def direction(token: int, state: State) -> int:
    """The direction of the comparison with the number at `token`: +1 above, -1 below."""
    return state.remember(("direction", token), lambda: _direction(token, state))


def _direction(token: int, state: State) -> int:
    norms = [t.norm for t in state.task.tokens]
    after = norms[token + 1 : token + 4] if "percent" in state.task.tokens[token].readings else []
    near = (*after, *reversed(norms[max(0, token - 5) : token]), *norms)
    return next((DIRECTIONS[norm] for norm in near if norm in DIRECTIONS), 1)
