"""Moments a state offers: the clock, days before or after it, the dates of the task."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from worksmith.models.analogy.reading.state import State

Key = tuple[Any, ...]
"""An expression: its kind and its parameters, hashable and free of the values of one episode."""

READINGS = ("date", "back", "ahead", "relative")
"""The readings of a day that a task names."""

EDGES = ("opens", "closes")
"""The readings of a period: its first moment, and the first one after it."""


def now(state: State) -> datetime | None:
    return datetime.fromisoformat(state.clock) if state.clock else None


def reference(key: Key, state: State) -> datetime | None:
    clock = now(state)
    if clock is None:
        return None
    kind = key[0]
    if kind == "now":
        return clock
    if kind == "today":
        return _midnight(clock)
    if kind in ("ago", "within"):
        days = nth(state, "days", key[1])
        start = clock if key[2] == "exact" else _midnight(clock)
        return None if days is None else start + timedelta(days=float(days) * (1 if kind == "within" else -1))
    day: datetime | None = nth(state, key[1], key[2])
    if day is None or kind == "day":
        return day
    minutes = nth(state, "time", key[3])
    return None if minutes is None else day + timedelta(minutes=minutes)


def references(state: State) -> Iterator[Key]:
    """The reference keys that this state offers, simplest first."""
    if not state.clock:
        return
    yield ("now",)
    if not state.clock.endswith("00:00"):
        yield ("today",)
    pools = state.task.pools
    for index in range(len(pools.get("days", ()))):
        yield ("ago", index, "exact")
        yield ("within", index, "exact")
        if not state.clock.endswith("00:00"):
            yield ("ago", index, "day")
            yield ("within", index, "day")
    for reading in READINGS:
        for index in range(min(2, len(pools.get(reading, ())))):
            yield ("day", reading, index)
            for clock_time in range(min(2, len(pools.get("time", ())))):
                yield ("day time", reading, index, clock_time)


def nth(state: State, reading: str, index: int) -> Any:
    """The value of the n-th piece of the task with this reading."""
    pool = state.task.pools.get(reading, ())
    return state.task.tokens[pool[index]].readings[reading] if -len(pool) <= index < len(pool) else None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0)
