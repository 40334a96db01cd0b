"""Explaining a demonstrated date: other dates, shifted and given a time of day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values import free_time
from worksmith.models.analogy.values.expressions import Evidence, base_moment, no_choice
from worksmith.models.analogy.values.moments import EDGES, READINGS, Key


def from_moment(target: tuple[datetime, str], state: State) -> Iterator[tuple[Key, Evidence]]:
    """The moments of the state that give the date (and time) in the demonstrated form."""
    wanted, form = target
    yield from _year(wanted, form, state)
    for base, moment, cost, spans in _bases(state):
        gap = (wanted.date() - moment.date()).days
        for clock_time, time_cost, time_spans in _times(wanted, moment, form, state):
            evidence = Evidence(cost + _gap_cost(gap) + time_cost, spans + time_spans)
            yield ("moment", base, ("days", gap), clock_time, form), evidence
            for sign in (1, -1):
                pool = state.task.pools.get("days", ())
                fits = tuple(i for i in pool if state.task.tokens[i].readings["days"] * sign == gap)
                if fits:
                    stepped = Evidence(cost + 0.2 + time_cost, (*spans, ("days", fits), *time_spans))
                    yield ("moment", base, ("task", sign), clock_time, form), stepped
        yield from _later(base, moment, target, cost, spans, state)


def _year(wanted: datetime, form: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """A day of a year that the task names as a number."""
    if form != "%Y-%m-%d":
        return
    pool = state.task.pools.get("digits", ())
    fits = tuple(i for i in pool if state.task.tokens[i].readings["digits"] == f"{wanted:%Y}")
    if fits:
        key = ("affix", ("task", "digits", "same"), "", "same", f"{wanted:-%m-%d}")
        yield key, Evidence(0.3, (("digits", fits),))


Spans = tuple[tuple[str, tuple[Any, ...]], ...]


def _bases(state: State) -> Iterator[tuple[Key, datetime, float, Spans]]:
    """Moments to start from: the task's dates, the clock, earlier values, free time."""
    task = state.task
    for reading in (*READINGS, *EDGES):
        by_value: dict[datetime, list[int]] = {}
        for index in task.pools.get(reading, ()):
            by_value.setdefault(task.tokens[index].readings[reading], []).append(index)
        for moment, indexes in by_value.items():
            yield (
                ("task", reading),
                moment,
                (*READINGS, *EDGES).index(reading) * 0.05,
                ((reading, tuple(indexes)),),
            )
    for key, cost in _moment_keys(state):
        found = base_moment(key, state, no_choice)
        if found:
            yield key, found, cost, ()


def _moment_keys(state: State) -> Iterator[tuple[Key, float]]:
    yield ("now",), 0.4
    for index, group in enumerate(state.groups):
        for column in group.columns:
            for row in (("first",), ("last",)):
                yield ("cell", index, ("pick", row, ("all",)), column), 0.5
            yield ("cell", index, ("pick", ("max", column), ("all",)), column), 0.6
    for key in free_time.keys(state):
        yield key, 0.3 + 0.05 * free_time.OPENINGS.index(key[2]) + (0.1 if key[3] == "half" else 0.0)


def _gap_cost(gap: int) -> float:
    return 0.0 if gap == 0 else min(1.5, 0.5 + 0.03 * abs(gap))


def _times(wanted: datetime, moment: datetime, form: str, state: State) -> Iterator[tuple[Key, float, Spans]]:
    """The times of day that give the wanted one."""
    if "%H" not in form:
        yield ("date",), 0.0, ()
        return
    seconds = wanted.hour * 3600 + wanted.minute * 60 + wanted.second
    if wanted.time() == moment.time():
        yield ("same",), 0.0, ()
    pool = state.task.pools.get("time", ())
    for beside in (0, 1, -1):
        fits = tuple(i for i in pool if state.task.tokens[i].readings["time"] * 60 + beside == seconds)
        if fits:
            yield ("time", beside), 0.1 + 0.1 * abs(beside), (("time", fits),)
    yield ("at", seconds), 0.2 if seconds in (0, 86399) else 0.6, ()


def _later(
    base: Key, moment: datetime, target: tuple[datetime, str], cost: float, spans: Spans, state: State
) -> Iterator[tuple[Key, Evidence]]:
    """A moment some time after another: a fixed time, or as long as the task says."""
    gap = int((target[0] - moment).total_seconds())
    if base[0] not in ("cell", "arg", "free") or "%H" not in target[1] or not gap:
        return
    pool = state.task.pools.get("minutes", ())
    fits = tuple(i for i in pool if state.task.tokens[i].readings["minutes"] * 60 == gap)
    if fits:
        evidence = Evidence(cost + 0.2, (*spans, ("minutes", fits)))
        yield ("moment", base, ("days", 0), ("longer",), target[1]), evidence
    if abs(gap) <= 86400:
        yield ("moment", base, ("days", 0), ("plus", gap), target[1]), Evidence(cost + 0.6, spans)
