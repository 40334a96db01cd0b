"""Rows of an observation: those that pass a filter, one of them by an order, those not used yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from operator import ge, gt, le, lt

from worksmith.models.analogy.reading import dates
from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import Group, State
from worksmith.models.analogy.reading.words import DIRECTIONS, STOP_STEMS, stems
from worksmith.models.analogy.values import contests
from worksmith.models.analogy.values.moments import Key, reference

Row = Mapping[str, str]
ALL: Key = ("all",)
MAX_ROWS = 400
"""Rows beyond this many are not looked at."""
_LONGEST_SAID = 160
_OPERATORS: Mapping[str, Callable[[datetime, datetime], bool]] = {
    "on": lambda moment, bound: moment.date() == bound.date(),
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


def kept(group_index: int, where: Key, state: State) -> tuple[int, ...]:
    """The indexes of the rows of a run that pass a filter."""
    return state.remember(("kept", group_index, where), _passing, where, group_index, state)


def _rows(group_index: int, state: State) -> tuple[Row, ...]:
    group = state.group(group_index)
    return group.rows[:MAX_ROWS] if group else ()


def _passing(where: Key, group: int, state: State) -> tuple[int, ...]:
    rows, kind = _rows(group, state), where[0]
    if kind == "and":
        other = set(kept(group, where[2], state))
        return tuple(index for index in kept(group, where[1], state) if index in other)
    if kind == "all":
        return tuple(range(len(rows)))
    if kind in ("call", "won"):
        run = state.groups[group]
        wanted = where[1] % len(run.calls) if kind == "call" else contests.winner(where, run)
        return tuple(i for i, origin in enumerate(run.origins[: len(rows)]) if origin == wanted)
    column = where[1]
    cells = [row.get(column, "") for row in rows]
    if kind in ("absent", "present"):
        elsewhere = cells_of(where[2], where[3], state)
        return tuple(i for i, cell in enumerate(cells) if (cell in elsewhere) == (kind == "present"))
    if kind in ("eq", "ne"):
        return tuple(i for i, cell in enumerate(cells) if (cell == where[2]) == (kind == "eq"))
    if kind in ("said", "unsaid"):
        return tuple(i for i, cell in enumerate(cells) if is_said(cell, state) == (kind == "said"))
    if kind == "known":
        known = known_items(group, state)
        return tuple(i for i, cell in enumerate(cells) if cell.lower() in known)
    bound = reference(where[3], state)
    if bound is None:
        return ()
    operator = where[2] if where[2] != "said" else _said_operator(state)
    return tuple(i for i, cell in enumerate(cells) if _compares(cell, operator, bound))


def cells_of(group: int, column: str, state: State) -> frozenset[str]:
    return state.remember(
        ("cells", group, column),
        lambda: frozenset(row[column] for row in _rows(group, state) if row.get(column)),
    )


def is_said(cell: str, state: State) -> bool:
    return state.remember(("said", cell), _is_said, cell, state)


def _is_said(cell: str, state: State) -> bool:
    wanted = stems(cell) if len(cell) <= _LONGEST_SAID else ()
    flat = state.remember("flat", lambda: f" {' '.join(stems(state.task.text))} ")
    return 0 < len(wanted) <= 12 and f" {' '.join(wanted)} " in flat


def known_items(group: int, state: State) -> frozenset[str]:
    """The scalars of the other replies."""
    others = (other for index, other in enumerate(state.groups) if index != group)
    return frozenset(item.lower() for other in others for item in other.items)


def _said_operator(state: State) -> str:
    signs = (DIRECTIONS[token.norm] for token in state.task.tokens if token.norm in DIRECTIONS)
    return ">" if next(signs, -1) > 0 else "<"


def _compares(cell: str, operator: str, bound: datetime) -> bool:
    found = dates.parse(cell)
    return found is not None and _OPERATORS[operator](found[0], bound)


def date_columns(group: Group) -> tuple[str, ...]:
    rows = group.rows[:4]
    return tuple(c for c in group.columns if rows and all(dates.parse(row.get(c, "")) for row in rows))


def number_columns(group: Group) -> tuple[str, ...]:
    """The columns that hold numbers (codes with leading zeros are none)."""
    rows = group.rows[:4]
    return tuple(
        c
        for c in group.columns
        if rows and all(number(row.get(c, "")) is not None and row[c][:1] != "0" for row in rows)
    )


def pick(key: Key, group_index: int, state: State) -> Row | None:
    indexes = kept(group_index, key[2], state)
    return state.groups[group_index].rows[choose(key[1], indexes, group_index, state)] if indexes else None


def choose(order: Key, indexes: tuple[int, ...], group_index: int, state: State) -> int:
    """The first or last row, the one with the smallest or largest cell, or the one nearest to the task."""
    if order[0] == "first":
        return indexes[0]
    if order[0] == "last":
        return indexes[-1]
    if order[0] == "told":
        return _most_told(indexes, group_index, state)
    rows, column = state.groups[group_index].rows, order[1]
    choose = min if order[0] == "min" else max
    return choose(indexes, key=lambda index: _rank(rows[index].get(column, "")))


def _most_told(indexes: tuple[int, ...], group_index: int, state: State) -> int:
    """The row with most words of the task, those that few of the rows have counting more."""
    said = frozenset(stems(state.task.text)) - STOP_STEMS
    words = {index: said & _words(group_index, index, state) for index in indexes}
    common = Counter(word for some in words.values() for word in some)
    return max(indexes, key=lambda index: (sum(1 / common[word] for word in sorted(words[index])), -index))


def _words(group_index: int, index: int, state: State) -> frozenset[str]:
    return state.remember(
        ("words", group_index, index),
        lambda: frozenset(stems(" ".join(state.groups[group_index].rows[index].values()))),
    )


def _rank(cell: str) -> tuple[float, str]:
    value = number(cell)
    return (value if value is not None else 0.0, cell)


def unused(group_index: int, column: str, where: Key, state: State) -> list[str]:
    """The cells of the rows that pass a filter and were not yet an argument of a later call."""
    if group_index >= len(state.groups):
        return []
    free = state.remember(("open", group_index, column), _open, group_index, column, state)
    return list(dict.fromkeys(free[i] for i in kept(group_index, where, state) if i in free))


def _open(group_index: int, column: str, state: State) -> dict[int, str]:
    """By row, the cells of a column that were not yet an argument of a later call."""
    used = {
        value.lower()
        for later in state.groups[group_index + 1 :]
        for call in later.calls
        for value in call.arguments.values()
    }
    cells = ((i, row.get(column, "")) for i, row in enumerate(_rows(group_index, state)))
    return {i: cell for i, cell in cells if cell and cell.lower() not in used}
