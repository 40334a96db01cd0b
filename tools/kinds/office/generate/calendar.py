"""The events of a generated office."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from worksmith.tools.kinds.office.generate.names import Cast, record_id
from worksmith.tools.kinds.office.moments import CELL_FORMAT
from worksmith.tools.kinds.office.schema import Row
from worksmith.tools.seeding import rng

DAYS_AHEAD = 21
_SHARE_AHEAD = 0.2
_FEW_AHEAD, _MANY_AHEAD = 40, 60
_PAST_PER_DAY = 240 / 121
"""The past reaches back as far as this density needs, at any scale: 121 days for 240 events."""


def events(seed: int, count: int, now: datetime, cast: Cast) -> list[Row]:
    """`count` events on weekdays, none overlapping, no name twice a day, by start.

    A fifth lies ahead, within three weeks; a small office has relatively more ahead so that tasks have
    events, a big one more of a past.
    """
    numbers = rng(seed, "office", "calendar")
    ahead = round(min(max(count * _SHARE_AHEAD, min(count / 2, _FEW_AHEAD)), _MANY_AHEAD))
    past_days = max(10, round((count - ahead) / _PAST_PER_DAY))
    taken: dict[date, list[tuple[datetime, datetime, str]]] = defaultdict(list)
    rows: list[Row] = []
    morning = _busy_morning(numbers, now, cast, taken)
    for number in range(count):
        days = (1, DAYS_AHEAD) if number < ahead else (1 - past_days, 0)
        start, minutes, name = next(morning, None) or _free_place(numbers, now, days, cast, taken)
        participant = numbers.choice(cast.everyone).address
        rows.append((record_id(number), name, participant, start.strftime(CELL_FORMAT), str(minutes)))
    numbers.shuffle(rows)  # else the ids would reveal future events
    rows = [(record_id(number), *row[1:]) for number, row in enumerate(rows)]
    return sorted(rows, key=lambda row: str(row[3]))


def _busy_morning(
    numbers: random.Random,
    now: datetime,
    cast: Cast,
    taken: dict[date, list[tuple[datetime, datetime, str]]],
) -> Iterator[tuple[datetime, int, str]]:
    """Back-to-back events from 9:00 on the next workday, so that its first free slot takes finding."""
    day = now.date() + timedelta(days=1)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    start = datetime.combine(day, time(9))
    for name in numbers.sample(cast.events, numbers.randint(2, 4)):
        minutes = numbers.choice((30, 60, 90, 120))
        end = start + timedelta(minutes=minutes)
        taken[day].append((start, end, name))
        yield start, minutes, name
        start = end


def _free_place(
    numbers: random.Random,
    now: datetime,
    days: tuple[int, int],
    cast: Cast,
    taken: dict[date, list[tuple[datetime, datetime, str]]],
) -> tuple[datetime, int, str]:
    while True:
        day = now.date() + timedelta(days=numbers.randint(*days))
        if day.weekday() >= 5:
            continue
        start = datetime.combine(day, time(numbers.randint(9, 15), numbers.choice((0, 30))))
        minutes = numbers.choice((30, 60, 90, 120))
        name = numbers.choice(cast.events)
        end = start + timedelta(minutes=minutes)
        if all(
            (end <= other_start or start >= other_end) and name != other_name
            for other_start, other_end, other_name in taken[day]
        ):
            taken[day].append((start, end, name))
            return start, minutes, name
