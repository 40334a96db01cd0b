"""Free time between the events of an observation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from worksmith.models.analogy.reading import dates
from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values.moments import Key, nth
from worksmith.models.analogy.values.rows import date_columns, number_columns

OPENINGS = (540, 480, 510, 570, 600, 420, 450)
"""Minutes after midnight at which a day may begin; demonstrations show which one is meant."""


def keys(state: State) -> Iterator[Key]:
    """Free-slot expressions: run, opening of the day, where the length comes from."""
    for index, group in enumerate(state.groups):
        if (date_columns(group) and number_columns(group)) or not group.calls[-1].observation.filled:
            for opening in OPENINGS:
                for position in range(min(2, len(state.task.pools.get("minutes", ())))):
                    yield ("free", index, opening, position)
                yield ("free", index, opening, "half")


def free(key: Key, state: State) -> datetime | None:
    """The first moment of the searched day from the opening on at which the length fits."""
    group = state.group(key[1])
    if group is None:
        return None
    length = 30.0 if key[3] == "half" else nth(state, "minutes", key[3])
    day = _day(group.calls[0].arguments.values())
    columns = (date_columns(group), number_columns(group))
    if length is None or day is None or (group.rows and not all(columns)):
        return None
    busy = []
    for row in group.rows:
        start, minutes = dates.parse(row.get(columns[0][0], "")), number(row.get(columns[1][0], ""))
        if start and minutes is not None and start[0].date() == day.date():
            busy.append((start[0], start[0] + timedelta(minutes=minutes)))
    cursor = day.replace(hour=0, minute=0, second=0) + timedelta(minutes=key[2])
    for start_at, end_at in sorted(busy):
        if cursor + timedelta(minutes=float(length)) <= start_at:
            break
        cursor = max(cursor, end_at)
    return cursor


def _day(values: object) -> datetime | None:
    """The searched day: the first argument that is a date."""
    found = [dates.parse(value) for value in values]  # type: ignore[attr-defined]
    return next((one[0] for one in found if one), None)
