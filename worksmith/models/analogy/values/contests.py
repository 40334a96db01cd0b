"""Calls of a run against each other, and values of a column against each other: which has most."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import Group
from worksmith.models.analogy.values.moments import Key

_MOST_CALLS = 6
_MOST_COLUMNS = 6


def ways(group: Group, numbers: tuple[str, ...], days: tuple[str, ...]) -> Iterator[Key]:
    """The comparisons of a run's calls: by a sum, a largest value, the latest day, the rows."""
    if not 1 < len(group.calls) <= _MOST_CALLS:
        return
    for column in numbers[:_MOST_COLUMNS]:
        for which in ("most", "least"):
            yield ("won", which, "sum", column)
            yield ("won", which, "max", column)
    for column in days[:_MOST_COLUMNS]:
        for which in ("most", "least"):
            yield ("won", which, "day", column)
    for which in ("most", "least"):
        yield ("won", which, "rows", "")


def winner(key: Key, group: Group) -> int | None:
    """The call that has most (or least) in such a comparison; None where none has anything."""
    found: dict[int, float | str] = {}
    _, which, how, column = key
    for place in range(len(group.calls)):
        cells = [
            row.get(column, "")
            for row, origin in zip(group.rows, group.origins, strict=True)
            if origin == place
        ]
        measure = _measure(cells, how)
        if measure is not None:
            found[place] = measure
    if len(found) < 2:
        return None
    ranked = sorted(found, key=lambda place: (found[place], -place), reverse=which == "most")
    return ranked[0]


def _measure(cells: list[str], how: str) -> float | str | None:
    if how == "rows":
        return float(len(cells))
    if how == "day":
        return max((cell for cell in cells if cell), default=None)
    amounts = [amount for cell in cells if (amount := number(cell)) is not None]
    if not amounts:
        return None
    return sum(amounts) if how == "sum" else max(amounts)
