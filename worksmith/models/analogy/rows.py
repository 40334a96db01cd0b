"""Choosing rows of an observation: filters (which rows count) and picks (which of them)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from worksmith.models.analogy import dates
from worksmith.models.analogy.moments import Key, reference, references
from worksmith.models.analogy.observation import number
from worksmith.models.analogy.state import Group, State
from worksmith.models.analogy.words import DIRECTIONS, stems

Row = Mapping[str, str]
ALL: Key = ("all",)
MAX_ROWS = 400
"""Rows beyond this many are not looked at."""


def kept(group_index: int, where: Key, state: State) -> tuple[int, ...]:
    """The indexes of the rows of a run that pass a filter."""
    memo = ("kept", group_index, where)
    if memo not in state.memo:
        rows = state.groups[group_index].rows[:MAX_ROWS] if group_index < len(state.groups) else ()
        state.memo[memo] = _passing(rows, where, group_index, state)
    found: tuple[int, ...] = state.memo[memo]
    return found


def _passing(rows: tuple[Row, ...], where: Key, group: int, state: State) -> tuple[int, ...]:
    kind = where[0]
    if kind == "and":
        other = set(kept(group, where[2], state))
        return tuple(index for index in kept(group, where[1], state) if index in other)
    if kind == "all":
        return tuple(range(len(rows)))
    column = where[1]
    cells = [row.get(column, "") for row in rows]
    if kind == "eq":
        return tuple(i for i, cell in enumerate(cells) if cell == where[2])
    if kind == "ne":
        return tuple(i for i, cell in enumerate(cells) if cell != where[2])
    if kind == "said":
        return tuple(i for i, cell in enumerate(cells) if is_said(cell, state))
    if kind == "known":
        known = _known(group, state)
        return tuple(i for i, cell in enumerate(cells) if cell.lower() in known)
    bound = reference(where[3], state)
    if bound is None:
        return ()
    operator = where[2] if where[2] != "said" else _said_operator(state)
    return tuple(i for i, cell in enumerate(cells) if _compares(cell, operator, bound))


def is_said(cell: str, state: State) -> bool:
    """Whether the task mentions the cell's text."""
    memo = ("said", cell)
    if memo not in state.memo:
        wanted = stems(cell)
        state.memo[memo] = 0 < len(wanted) <= 12 and f" {' '.join(wanted)} " in _flat(state)
    return bool(state.memo[memo])


def _flat(state: State) -> str:
    if "flat" not in state.memo:
        state.memo["flat"] = f" {' '.join(stems(state.task.text))} "
    return str(state.memo["flat"])


def _known(group: int, state: State) -> frozenset[str]:
    """What the other replies gave as scalars."""
    others = (other for index, other in enumerate(state.groups) if index != group)
    return frozenset(item.lower() for other in others for item in other.items)


def _said_operator(state: State) -> str:
    for token in state.task.tokens:
        if token.norm in DIRECTIONS:
            return ">" if DIRECTIONS[token.norm] > 0 else "<"
    return "<"


def _compares(cell: str, operator: str, bound: datetime) -> bool:
    found = dates.parse(cell)
    if found is None:
        return False
    moment = found[0]
    if operator == "on":
        return moment.date() == bound.date()
    if operator == "<":
        return moment < bound
    if operator == "<=":
        return moment <= bound
    return moment > bound if operator == ">" else moment >= bound


def filters(group_index: int, state: State) -> Iterator[Key]:
    """The filters that may have been meant, simplest first."""
    memo = ("filters", group_index)
    if memo not in state.memo:
        state.memo[memo] = tuple(_filters(group_index, state))
    yield from state.memo[memo]


def _filters(index: int, state: State) -> Iterator[Key]:
    yield ALL
    group, known = state.groups[index], _known(index, state)
    rows = group.rows[:MAX_ROWS]
    marks: list[Key] = []
    for column in group.columns:
        cells = {row.get(column, "") for row in rows}
        if any(is_said(cell, state) for cell in cells):
            marks.append(("said", column))
        if any(cell.lower() in known for cell in cells):
            marks.append(("known", column))
        if len(cells) <= 6 and len(cells) < len(rows) and all(map(_is_category, cells)):
            marks += [(kind, column, cell) for cell in sorted(cells) for kind in ("eq", "ne")]
    times = [
        ("when", column, operator, key)
        for column in date_columns(group)
        for key in references(state)
        for operator in ("<", ">", "said", "<=", ">=", "on")
        if operator != "on" or key[0] == "day"
    ]
    yield from marks
    yield from times
    useful = [mark for mark in marks if mark[0] != "eq"] + [mark for mark in marks if mark[0] == "eq"]
    for time in times:
        if time[2] in ("<", ">", "<=", ">=") and time[3][0] in ("now", "today", "ago"):
            yield from (("and", time, mark) for mark in useful[:8])


def _is_category(cell: str) -> bool:
    """Whether a cell looks like one of a few values rather than a name, a text, a date or a number."""
    return 0 < len(cell) <= 24 and "@" not in cell and not cell[0].isdigit()


def date_columns(group: Group) -> tuple[str, ...]:
    """The columns that hold dates."""
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


def picks(group_index: int, state: State) -> Iterator[tuple[Key, int]]:
    """Every way to choose one row of a run, and the row it chooses; `next` is left to `unused`."""
    memo = ("picks", group_index)
    if memo not in state.memo:
        state.memo[memo] = tuple(_picks(group_index, state))
    yield from state.memo[memo]


def _picks(group_index: int, state: State) -> Iterator[tuple[Key, int]]:
    group = state.groups[group_index]
    if not group.rows:
        return
    orders: list[Key] = [("first",), ("last",)]
    for column in (*date_columns(group), *number_columns(group)):
        orders += [("min", column), ("max", column)]
    chosen: dict[tuple[int, ...], list[tuple[Key, int]]] = {}
    for where in filters(group_index, state):
        indexes = kept(group_index, where, state)
        if not indexes or (where != ALL and len(indexes) == len(group.rows) and len(indexes) > 1):
            continue
        if indexes not in chosen:
            chosen[indexes] = [(order, _choose(order, indexes, group)) for order in orders]
        for order, index in chosen[indexes]:
            yield ("pick", order, where), index


def pick(key: Key, group_index: int, state: State) -> Row | None:
    """The row that a pick chooses in this state."""
    indexes = kept(group_index, key[2], state)
    if not indexes or group_index >= len(state.groups):
        return None
    group = state.groups[group_index]
    return group.rows[_choose(key[1], indexes, group)]


def _choose(order: Key, indexes: tuple[int, ...], group: Group) -> int:
    if order[0] == "first":
        return indexes[0]
    if order[0] == "last":
        return indexes[-1]
    column = order[1]
    choose = min if order[0] == "min" else max
    return choose(indexes, key=lambda index: _rank(group.rows[index].get(column, "")))


def _rank(cell: str) -> tuple[float, str]:
    value = number(cell)
    return (value if value is not None else 0.0, cell)


def unused(group_index: int, column: str, where: Key, state: State) -> list[str]:
    """The cells of the rows that pass a filter and were not yet an argument of a later call."""
    if group_index >= len(state.groups):
        return []
    memo = ("open", group_index, column)
    if memo not in state.memo:
        state.memo[memo] = _open(group_index, column, state)
    free: dict[int, str] = state.memo[memo]
    return list(dict.fromkeys(free[i] for i in kept(group_index, where, state) if i in free))


def _open(group_index: int, column: str, state: State) -> dict[int, str]:
    """By row, the cells of a column that were not yet an argument of a later call."""
    used = {
        value.lower()
        for later in state.groups[group_index + 1 :]
        for call in later.calls
        for value in call.arguments.values()
    }
    cells = ((i, row.get(column, "")) for i, row in enumerate(state.groups[group_index].rows[:MAX_ROWS]))
    return {i: cell for i, cell in cells if cell and cell.lower() not in used}
