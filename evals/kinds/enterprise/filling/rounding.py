"""Whole numbers in given proportions: one row of them, or a table with given sums."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from tools.generating.apportion import apportion

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
