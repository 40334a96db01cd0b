"""Branch tests: questions about a state whose answers may decide the next step."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import Group, State
from worksmith.models.analogy.values import series
from worksmith.models.analogy.values.filters import filters
from worksmith.models.analogy.values.moments import Key
from worksmith.models.analogy.values.rows import MAX_ROWS, is_said, kept, number_columns, unused

_TELLING = ("period", "step")
_FACTORS = (1.5, 2, 3)
_LEAST = (1, 2, 3, 5)


def questions(state: State, sources: frozenset[tuple[int, str]]) -> Iterator[tuple[Key, float]]:
    """The questions of a state, with their cost. `sources` are the columns that later steps copy from."""
    last = len(state.groups) - 1
    for index, group in enumerate(state.groups):
        behind = 0.05 * (last - index)
        yield ("filled", index), 0.0 + behind
        yield ("kind", index, group.calls[-1].observation.kind), 0.3 + behind
        count = len(group.calls[-1].observation.rows)
        if count > 1 and index == last:
            yield ("page", index, count), 0.35
        if not group.rows:
            continue
        if index == last:
            yield from _leads(index, state)
        for where in filters(index, state):
            cost = _filter_cost(where, state)
            yield ("any", index, where), cost + behind
            for source, column in sources:
                if source == index:
                    yield ("left", index, column, where), cost - 0.05 + behind
    yield ("run", state.run), 0.5
    for reading in _TELLING:
        if reading in state.task.pools:
            yield ("has", reading), 0.2
    for extreme in state.task.extremes:
        yield ("asks", extreme), 0.15
    for key in series.tests(state):
        yield ("series", *key), _series_cost(key)


def _leads(index: int, state: State) -> Iterator[tuple[Key, float]]:
    """The size of the largest number of a column, and its lead over the next."""
    for column in number_columns(state.groups[index]):
        for factor in _FACTORS:
            yield ("ahead", index, column, factor), 0.4
        for least in _LEAST:
            yield ("reaches", index, column, least), 0.4


def _filter_cost(where: Key, state: State) -> float:
    """Filters by a value that the task mentions are plainer than filters by another."""
    if where[0] == "and":
        return _filter_cost(where[1], state) + _filter_cost(where[2], state)
    if where[0] in ("eq", "ne"):
        return 0.05 if is_said(where[2], state) else 0.6
    return {"all": 0.1, "when": 0.3, "won": 0.8, "call": 0.5}.get(where[0], 0.4)


def _series_cost(key: Key) -> float:
    if key[0] == "against":
        order: float = series.SUMMARIES.index(key[2]) * 0.05
        order += 0.05 * (key[1] + key[5])
        return 0.15 + order + (0.0 if key[3] == "said" else 0.1)
    if key[0] == "between":
        order = series.SUMMARIES.index(key[3]) + key[1] + key[2]
        return 0.3 + 0.05 * order
    return 0.3


def answer(key: Key, state: State) -> bool | None:
    """The answer to a question in a state; None when the question makes no sense there."""
    return state.remember(key, _answer, key, state)


def _answer(key: Key, state: State) -> bool | None:
    kind = key[0]
    if kind == "series":
        return series.holds(key[1:], state)
    if kind == "run":
        return bool(state.run >= key[1])
    if kind == "has":
        return key[1] in state.task.pools
    if kind == "asks":
        return key[1] in state.task.extremes
    group = state.group(key[1])
    if group is None:
        return None
    if kind == "filled":
        return any(call.observation.filled for call in group.calls)
    if kind == "kind":
        return bool(group.calls[-1].observation.kind == key[2])
    if kind == "page":
        return bool(len(group.calls[-1].observation.rows) >= key[2])
    if kind in ("ahead", "reaches"):
        return _stands_out(key, group)
    if kind == "any":
        return bool(kept(key[1], key[2], state))
    return bool(unused(key[1], key[2], key[3], state))


def _stands_out(key: Key, group: Group) -> bool | None:
    """Whether the largest number of a column is large enough, or far enough ahead of the next."""
    found = (number(row.get(key[2], "")) for row in group.rows[:MAX_ROWS])
    numbers = sorted((one for one in found if one is not None), reverse=True)
    if not numbers:
        return None
    if key[0] == "reaches":
        return bool(numbers[0] >= key[3])
    return len(numbers) == 1 or bool(numbers[0] >= key[3] * numbers[1])
