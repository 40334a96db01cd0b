"""Figures of rows: their number, the sum and mean of a column, the value that leads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values.moments import Key
from worksmith.models.analogy.values.rows import kept

_MOST_DIGITS = 12
LEAST_ROWS = (1, 3)
"""The numbers of rows that a value may need for its average to count."""


def figure(key: Key, state: State) -> str | None:
    """The number that a key names: (kind, run, column, filter), or (`fact`, run, call, name)."""
    group = state.group(key[1])
    if group is None:
        return None
    if key[0] == "fact":
        calls = group.calls
        return calls[key[2]].observation.facts.get(key[3]) if -len(calls) <= key[2] < len(calls) else None
    rows = [group.rows[index] for index in kept(key[1], key[3], state)]
    if key[0] == "tally":
        return str(len(rows))
    cells = [row[key[2]] for row in rows if row.get(key[2])]
    if key[0] == "distinct":
        return str(len(set(cells)))
    amounts = [amount for cell in cells if (amount := number(cell)) is not None]
    if not amounts:
        return None
    return plain(sum(amounts) if key[0] == "total" else round(sum(amounts) / len(amounts), 1))


def figures(
    index: int, wheres: list[Key], numbers: tuple[str, ...], state: State
) -> Iterator[tuple[Key, float]]:
    """The figures of a run of calls, each with its cost."""
    group = state.groups[index]
    for place in range(-1, len(group.calls) - 1):
        for name in group.calls[place].observation.facts:
            yield ("fact", index, place, name), 0.3 + (0.1 if place >= 0 else 0.0)
    for where in wheres:
        yield ("tally", index, "", where), 0.4
        for column in numbers:
            yield ("total", index, column, where), 0.5
            yield ("mean", index, column, where), 0.6
        for column in group.columns:
            if column not in numbers:
                yield ("distinct", index, column, where), 0.9


def is_figure(value: str) -> bool:
    """Whether a value may have been counted or added up."""
    return 0 < len(value) <= _MOST_DIGITS and number(value) is not None and (value[0] != "0" or value == "0")


def leader(key: Key, state: State) -> tuple[str, float] | None:
    """The value of a column whose rows have most (or least) of an amount, and that amount.

    The key is (kind, run, column, most or least or asked, amount, filter); without an
    amount rows are counted.
    """
    totals, sign = _totals(key, state), _sign(key[3], state)
    if not totals or not sign:
        return None
    value = min(totals, key=lambda one: (sign * totals[one], one))
    return value, totals[value]


def _totals(key: Key, state: State) -> Mapping[str, float]:
    def add() -> Mapping[str, float]:
        totals: dict[str, float] = {}
        for index in kept(key[1], key[5], state):
            row = state.groups[key[1]].rows[index]
            step = number(row.get(key[4], "")) if key[4] else 1.0
            value = row.get(key[2], "")
            totals[value] = totals.get(value, 0.0) + (step or 0.0)
        return totals

    return state.remember(("totals", key[1], key[2], key[4], key[5]), add)


def average(key: Key, state: State) -> str | None:
    """The value of a column whose rows have most (or least) of an amount on average.

    The key is that of `leader` with the number of rows that a value must have to be compared.
    """
    amounts: dict[str, list[float]] = {}
    for index in kept(key[1], key[5], state):
        row = state.groups[key[1]].rows[index]
        value, amount = row.get(key[2], ""), number(row.get(key[4], ""))
        if value and amount is not None:
            amounts.setdefault(value, []).append(amount)
    means = {value: sum(some) / len(some) for value, some in amounts.items() if len(some) >= key[6]}
    sign = _sign(key[3], state)
    return min(means, key=lambda one: (sign * means[one], one)) if means and sign else None


def _sign(which: str, state: State) -> int:
    """-1 for most, 1 for least, 0 if the task is to say which and does not."""
    asked = state.task.extremes
    if which == "asked":
        return (-1 if "largest" in asked else 1) if len(asked) == 1 else 0
    return -1 if which == "most" else 1


def plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(round(value, 2))
