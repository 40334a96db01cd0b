"""How many tasks of which kind a suite has: exact for the published size, proportional for any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from worksmith.evals.tasks.task import TaskType
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.generating.apportion import apportion

K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Hashable)
C = TypeVar("C", bound=Hashable)

_ROUNDS = 200


def share_out(weights: Mapping[K, float], total: int) -> dict[K, int]:
    """`total` shared out in proportion to the weights, by largest remainder; exact where it can be."""
    return dict(zip(weights, apportion(total, [*weights.values()]), strict=True))


def balance(
    rows: Mapping[R, int], columns: Mapping[C, int], weights: Mapping[R, Mapping[C, float]]
) -> dict[tuple[R, C], int]:
    """A table of whole numbers with these sums of rows and columns, roughly in proportion to the weights.

    Only places with a weight are filled. Rows keep their sums; where columns cannot have theirs, they come
    as near as a table with these places allows.
    """
    table = _proportional(rows, columns, weights)
    found = {place: int(value + 1e-9) for place, value in table.items()}
    left = {row: rows[row] - sum(n for (r, _), n in found.items() if r == row) for row in rows}
    room = {
        column: columns[column] - sum(n for (_, c), n in found.items() if c == column) for column in columns
    }
    for row in rows:
        for _ in range(left[row]):
            path = _path(row, found, room, weights)
            if path is None:
                best = max(weights[row], key=lambda column: (room.get(column, -1), weights[row][column]))
                path = [(row, best, 1)]
            for r, c, step in path:
                found[r, c] = found.get((r, c), 0) + step
            room[path[-1][1]] -= 1
    return found


def _proportional(
    rows: Mapping[R, int], columns: Mapping[C, int], weights: Mapping[R, Mapping[C, float]]
) -> dict[tuple[R, C], float]:
    """Scaled by rows and by columns in turn until both sums fit."""
    table = {
        (row, column): float(weight)
        for row in rows
        for column, weight in weights[row].items()
        if weight and columns.get(column)
    }
    for _ in range(_ROUNDS):
        for axis, sums in ((1, columns), (0, rows)):
            have: dict[Hashable, float] = {}
            for place, value in table.items():
                have[place[axis]] = have.get(place[axis], 0.0) + value
            for place in table:
                key = place[axis]
                if have[key]:
                    table[place] *= sums[key] / have[key]  # type: ignore[index]
    return table


def _path(
    row: R, found: Mapping[tuple[R, C], int], room: Mapping[C, int], weights: Mapping[R, Mapping[C, float]]
) -> list[tuple[R, C, int]] | None:
    """Changes by one that give `row` one more in the end, in a column with room; others may be moved."""
    queue: list[tuple[R, list[tuple[R, C, int]]]] = [(row, [])]
    seen = {row}
    while queue:
        current, path = queue.pop(0)
        order = sorted(weights[current], key=lambda column: -room.get(column, 0))
        for column in order:
            if room.get(column, 0) > 0:
                return [*path, (current, column, 1)]
        for column in order:
            for (other, taken), count in found.items():
                if taken == column and count > 0 and other not in seen:
                    seen.add(other)
                    queue.append((other, [*path, (current, column, 1), (other, column, -1)]))
    return None


EMPTY_SHARE = 0.15
"""Of the tasks that ask for something, those for which there is nothing to be found."""


@dataclass(frozen=True, order=True)
class Cell:
    """A part of an area, and a type of tasks in it."""

    area: str
    subarea: str
    type: TaskType


@dataclass(frozen=True)
class Place:
    """A place for one task.

    Attributes:
        steps: tool calls of its gold plan; 0 where any number fits.
        empty: whether its answer must be empty.
        denial: for a task that cannot be done, why not.
        writes: for such a task, whether it asks for a change.
    """

    cell: Cell
    steps: int
    empty: bool = False
    denial: str = ""
    writes: bool = False


def cells(total: int) -> dict[Cell, int]:
    """How many of `total` tasks fall to each cell that asks for something or for a change."""
    counts = share_out({**_searching_and_changing(), None: len(_denied())}, total)
    return {cell: count for cell, count in counts.items() if cell is not None and count}


def denied_places(total: int) -> list[Place]:
    """The places for tasks that cannot be done, among `total` tasks."""
    every = {**_searching_and_changing(), None: len(_denied())}
    wanted = share_out(every, total)[None]
    entries = _denied()
    # Spread over the table, so that a small suite has all the reasons a few tasks can have.
    chosen = Counter(entries[number * len(entries) // wanted] for number in range(wanted))
    return [place for place in dict.fromkeys(entries) for _ in range(chosen[place])]


def step_counts(total: int) -> dict[int, int]:
    """How many of `total` tasks have how many tool calls."""
    table: dict[str, int] = _table()["steps"]
    return share_out({int(steps): count for steps, count in table.items()}, total)


def answerable_places(
    total: int, spent: Mapping[int, int], offers: Mapping[Cell, Mapping[int, int]], empties: Sequence[Place]
) -> list[Place]:
    """The places for all tasks but those that cannot be done, which `denied_places` gives.

    Args:
        spent: tool calls of the tasks that cannot be done: how many have how many.
        offers: for each cell, how many goals there are with how many tool calls.
        empties: the (cell, steps) that can have an empty answer.
    """
    demand = {steps: max(0, count - spent.get(steps, 0)) for steps, count in step_counts(total).items()}
    supply = {cell: count for cell, count in cells(total).items() if offers.get(cell)}
    table = balance(supply, demand, offers)
    places = [
        Place(cell, steps) for cell in supply for steps in demand for _ in range(table.get((cell, steps), 0))
    ]
    return _with_empty(places, frozenset(empties))


def _with_empty(places: list[Place], empties: frozenset[Place]) -> list[Place]:
    """Some of the places that ask for something with nothing to be found, spread over those that can."""
    able = [index for index, place in enumerate(places) if place in empties]
    asking = sum(place.cell.type == "search" for place in places)
    wanted = min(len(able), round(EMPTY_SHARE * asking))
    chosen = {able[number * len(able) // wanted] for number in range(wanted)} if wanted else set()
    return [replace(place, empty=True) if index in chosen else place for index, place in enumerate(places)]


def wanted_tasks(tool: str) -> tuple[int, bool]:
    """The number of tasks of a split that must use a wanted tool, and whether it is an added one."""
    table: dict[str, Any] = _table()["tools"]
    added = tool.partition(".")[0] in table["added"]
    return (1 if added else int(table["fewest"])), added


def _searching_and_changing() -> dict[Cell | None, int]:
    return {
        Cell(entry["area"], entry["subarea"], kind): entry[kind]
        for kind in ("search", "crud")
        for entry in _table()["cells"]
        if entry.get(kind)
    }


def _denied() -> list[Place]:
    found = []
    for entry in _table()["cells"]:
        for text in entry["denied"]:
            reason, _, kind = text.partition("/")
            cell = Cell(entry["area"], entry["subarea"], "unanswerable")
            found.append(Place(cell, 0, denial=reason, writes=kind == "crud"))
    return found


@cache
def _table() -> dict[str, Any]:
    return read_toml(__package__, "quotas.toml")
