"""Explaining a demonstrated value by the records that were seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.statements import entries
from worksmith.models.analogy.reading.words import stems
from worksmith.models.analogy.values.expressions import Evidence, each, evaluate, no_choice
from worksmith.models.analogy.values.figures import LEAST_ROWS, figures, is_figure
from worksmith.models.analogy.values.filters import filters, picks
from worksmith.models.analogy.values.moments import Key
from worksmith.models.analogy.values.rows import ALL, number_columns, unused

_ASKED = 0.1
_PLAIN_ORDERS = {"first": 0.0, "last": 0.1, "told": 0.15}
_MONTH = re.compile(r"(\d{4})-(\d\d)")


def from_rows(value: str, index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    """The cells of a run that hold the value, and the figures of its rows that give it."""
    group = state.groups[index]
    if is_figure(value):
        yield from _figures(value, index, state)
    else:
        yield from _facts(value, index, state)
    listed = entries(value)
    if listed:
        yield from _each(frozenset(listed), index, state)
    if not group.rows:
        return
    yield from _months(value, index, state)
    holders = {
        column: {n for n, row in enumerate(group.rows) if row.get(column) == value}
        for column in group.columns
    }
    holders = {column: rows for column, rows in holders.items() if rows}
    for column in holders:
        for where in filters(index, state):
            left = unused(index, column, where, state)
            if left and left[0] == value:
                yield ("next", index, column, where), Evidence(0.45 + _filter_cost(where))
    if holders:
        for key, row in picks(index, state):
            for column, rows in holders.items():
                if row in rows:
                    cost = 0.3 + _filter_cost(key[2]) + _order_cost(key[1], column, state)
                    yield ("cell", index, key, column), Evidence(cost)
        if len(group.rows) > 1 or state.task.extremes:
            yield from _counts(value, index, list(holders), state)


def _months(value: str, index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    """The rows that have the year and the number of a month in two columns."""
    found = _MONTH.fullmatch(value)
    if not found:
        return
    group = state.groups[index]
    for key, row in picks(index, state):
        cells = group.rows[row]
        years = [column for column in group.columns if cells.get(column) == found[1]]
        months = [column for column in group.columns if cells.get(column) == str(int(found[2]))]
        for year, month in product(years, months):
            cost = 0.3 + _filter_cost(key[2]) + _order_cost(key[1], month, state)
            yield ("month", index, key, year, month), Evidence(cost)


def _each(wanted: frozenset[str], index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    """The columns whose cells a statement lists, in any order."""
    for column in ("", *state.groups[index].columns):
        for where in _plain_filters(index, state):
            if frozenset(each(("each", index, column, where), state)) == wanted:
                yield ("each", index, column, where), Evidence(0.3 + _filter_cost(where))


def _facts(value: str, index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    """The facts beside the records of a call, such as a name for all of them."""
    for place in range(-1, len(state.groups[index].calls) - 1):
        for name, fact in state.groups[index].calls[place].observation.facts.items():
            if fact == value:
                yield ("fact", index, place, name), Evidence(0.3 if place < 0 else 0.4)


def _figures(value: str, index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    numbers = number_columns(state.groups[index])
    wheres = _plain_filters(index, state)
    for key, cost in figures(index, wheres, numbers, state):
        if evaluate(key, state, no_choice) == value:
            yield key, Evidence(cost + (_filter_cost(key[3]) if key[0] != "fact" else 0.0))
    for column in state.groups[index].columns if len(state.groups[index].rows) > 1 else ():
        for amount in numbers:
            lead = ("lead", index, column, "most", amount, ALL)
            if column not in numbers and evaluate(lead, state, no_choice) == value:
                yield lead, Evidence(0.9)


def _plain_filters(index: int, state: State) -> list[Key]:
    """The filters without combinations, with which sums and counts are tried."""
    return [where for where in filters(index, state) if where[0] != "and"]


def _order_cost(order: Key, column: str, state: State) -> float:
    """The first row is plainest; a largest or smallest one is plainer where the task speaks of its column."""
    if order[0] in _PLAIN_ORDERS:
        return _PLAIN_ORDERS[order[0]]
    spoken = order[1] == column or not set(stems(order[1])).isdisjoint(stems(state.task.text))
    return 0.2 if spoken else 0.4


_FILTER_COST = {
    **dict.fromkeys(("said", "call"), 0.2),
    **dict.fromkeys(("unsaid", "known", "when", "absent", "present"), 0.3),
    "all": 0.0,
    "eq": 0.4,
    "won": 0.5,
    "ne": 0.6,
}


def _filter_cost(where: Key) -> float:
    if where[0] == "and":
        return 0.2 + _filter_cost(where[1]) + _filter_cost(where[2])
    return _FILTER_COST[where[0]]


def _counts(value: str, index: int, columns: list[str], state: State) -> Iterator[tuple[Key, Evidence]]:
    """Values that lead their column: by the rows that have them, or by an amount of those rows."""
    amounts = ("", *number_columns(state.groups[index]))
    for column in columns:
        for where in _plain_filters(index, state):
            for which in ("most", "least", "asked") if len(state.groups[index].rows) > 1 else ("asked",):
                base = _filter_cost(where) - (_ASKED if which == "asked" else 0.0)
                for amount in amounts:
                    key = ("count", index, column, which, amount, where)
                    if evaluate(key, state, no_choice) == value:
                        yield key, Evidence((0.7 if amount else 1.0) + base)
                    for least in LEAST_ROWS if amount else ():
                        mean = ("average", *key[1:], least)
                        if evaluate(mean, state, no_choice) == value:
                            yield mean, Evidence(0.75 + 0.02 * least + base)
