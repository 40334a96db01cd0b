"""The filters and picks that a run of observations suggests, simplest first."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values import contests
from worksmith.models.analogy.values.moments import Key, references
from worksmith.models.analogy.values.rows import (
    ALL,
    MAX_ROWS,
    cells_of,
    choose,
    date_columns,
    is_said,
    kept,
    known_items,
    number_columns,
)

_MOST_CALLS = 4
_CODE_LENGTH = 8
_TEXT_LENGTH = 40

_OPENS: Key = ("day", "opens", 0)


def filters(group_index: int, state: State) -> tuple[Key, ...]:
    """The possible filters, simplest first."""
    return state.remember(("filters", group_index), lambda: tuple(_filters(group_index, state)))


def _filters(index: int, state: State) -> Iterator[Key]:
    yield ALL
    group, known = state.groups[index], known_items(index, state)
    rows = group.rows[:MAX_ROWS]
    marks: list[Key] = []
    for column in group.columns:
        cells = {row.get(column, "") for row in rows}
        said = sum(is_said(cell, state) for cell in cells)
        if said:
            marks.append(("said", column))
        if 0 < said < len(cells):
            marks.append(("unsaid", column))
        if any(cell.lower() in known for cell in cells):
            marks.append(("known", column))
        if len(cells) <= 6 and len(cells) < len(rows) and all(map(_is_category, cells)):
            marks += [(kind, column, cell) for cell in sorted(cells) for kind in ("eq", "ne")]
    marks += _shared(index, state)
    times = [
        ("when", column, operator, key)
        for column in date_columns(group)
        for key in references(state)
        for operator in ("<", ">", "said", "<=", ">=", "on")
        if operator != "on" or key[0] == "day"
    ]
    if "opens" in state.task.pools:
        times += [("when", column, "on", _OPENS) for column in date_columns(group)]
    yield from marks
    yield from times
    if len(group.calls) > 1:
        yield from (("call", place) for place in range(-1, min(len(group.calls), _MOST_CALLS)))
        yield from contests.ways(group, number_columns(group), date_columns(group))
    useful = [mark for mark in marks if mark[0] != "eq"] + [mark for mark in marks if mark[0] == "eq"]
    for time in times:
        by_clock = time[2] in ("<", ">", "<=", ">=") and time[3][0] in ("now", "today", "ago")
        if by_clock or time[3] == _OPENS:
            yield from (("and", time, mark) for mark in useful[:8])


def _shared(index: int, state: State) -> Iterator[Key]:
    """Rows whose code another run has, and those whose code it has not."""
    for column in state.groups[index].columns:
        codes = cells_of(index, column, state)
        if not codes or not all(map(_is_code, codes)):
            continue
        for other, group in enumerate(state.groups):
            for theirs in group.columns if other != index else ():
                if codes & cells_of(other, theirs, state):
                    yield ("absent", column, other, theirs)
                    yield ("present", column, other, theirs)


def _is_code(cell: str) -> bool:
    return len(cell) >= _CODE_LENGTH and cell.isalnum() and not cell.isalpha()


def _is_category(cell: str) -> bool:
    """Whether a cell looks like one of a few values rather than a name, a text, a date or a number."""
    return 0 < len(cell) <= 24 and "@" not in cell and not cell[0].isdigit()


def picks(group_index: int, state: State) -> tuple[tuple[Key, int], ...]:
    """Every way to choose one row of a run, and the row it chooses; `next` is left to `unused`."""
    return state.remember(("picks", group_index), lambda: tuple(_picks(group_index, state)))


def _picks(group_index: int, state: State) -> Iterator[tuple[Key, int]]:
    group = state.groups[group_index]
    if not group.rows:
        return
    orders: list[Key] = [("first",), ("last",)]
    if any(len(cell) >= _TEXT_LENGTH for cell in group.rows[0].values()):
        orders.append(("told",))
    for column in (*date_columns(group), *number_columns(group)):
        orders += [("min", column), ("max", column)]
    chosen: dict[tuple[int, ...], list[tuple[Key, int]]] = {}
    for where in filters(group_index, state):
        indexes = kept(group_index, where, state)
        if not indexes or (where != ALL and len(indexes) == len(group.rows) and len(indexes) > 1):
            continue
        if indexes not in chosen:
            chosen[indexes] = [(order, choose(order, indexes, group_index, state)) for order in orders]
        for order, index in chosen[indexes]:
            yield ("pick", order, where), index
