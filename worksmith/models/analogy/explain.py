"""Explaining a demonstrated value: every expression that gives it in the state before the step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from worksmith.models.analogy import dates, slots
from worksmith.models.analogy.expressions import Evidence, base_moment, evaluate
from worksmith.models.analogy.moments import READINGS, Key
from worksmith.models.analogy.observation import number
from worksmith.models.analogy.rows import MAX_ROWS, filters, number_columns, picks, unused
from worksmith.models.analogy.state import State
from worksmith.models.analogy.words import case_of, recase

Explained = dict[Key, Evidence]


def _no_choice(reading: str) -> None:
    """For expressions that copy nothing from the task."""


_TEXT_READINGS = ("quote", "email", "digits")
_NUMBER_READINGS = ("minutes", "number", "days", "percent")
_CONST_COST = 1.2


def explain(value: str, name: str, state: State) -> Explained:
    """The expressions that give the value of the argument `name`, with their evidence."""
    found: Explained = {}
    moment = dates.parse(value)
    for key, evidence in (*_copies(value, name, state), *(_moments(moment, state) if moment else ())):
        if key not in found or evidence.cost < found[key].cost:
            found[key] = evidence
    if not moment and not found:
        for key, evidence in _composed(value, state):
            found.setdefault(key, evidence)
    if not _observed(value, state):
        found[("const", value)] = Evidence(_CONST_COST)
    return found


def _observed(value: str, state: State) -> bool:
    """Whether the value was read in this episode: it is no constant then, however often it is the same."""
    read = (item for group in state.groups for item in group.items)
    if any(item and item in value for item in read):
        return True
    return any(value in row.values() for group in state.groups for row in group.rows[:MAX_ROWS])


def _copies(value: str, name: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    yield from _from_text(value, state)
    yield from _from_numbers(value, state)
    yield from _from_calls(value, name, state)
    for index in range(len(state.groups)):
        yield from _from_rows(value, index, state)


def _from_text(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    task = state.task
    for reading in _TEXT_READINGS:
        fits: dict[str, list[int]] = {}
        for index in task.pools.get(reading, ()):
            case = case_of(str(task.tokens[index].readings[reading]), value)
            if case:
                fits.setdefault(case, []).append(index)
        for case, indexes in fits.items():
            yield ("task", reading, case), Evidence(_case_cost(case), ((reading, tuple(indexes)),))
    spans: dict[str, list[tuple[int, int]]] = {}
    for span in task.spans(value):
        case = case_of(task.piece(span), value)
        if case and not any(task.tokens[i].readings for i in range(*span)):
            spans.setdefault(case, []).append(span)
    for case, ranges in spans.items():
        yield ("task", "words", case), Evidence(0.1 + _case_cost(case), (("words", tuple(ranges)),))


def _case_cost(case: str) -> float:
    return 0.0 if case == "same" else 0.2


def _from_numbers(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    wanted = number(value)
    if wanted is None:
        return
    for reading in _NUMBER_READINGS:
        pool = state.task.pools.get(reading, ())
        fits = tuple(i for i in pool if float(state.task.tokens[i].readings[reading]) == wanted)
        if fits:
            yield ("number", reading), Evidence(0.1, ((reading, fits),))


def _from_calls(value: str, argument_name: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    for group_index, group in enumerate(state.groups):
        for index, call in enumerate(group.calls):
            for name, argument in call.arguments.items():
                if argument == value:
                    cost = -0.05 if name == argument_name else 0.5
                    yield ("arg", group_index, index, name), Evidence(cost + 0.1 * index)
                    if index == len(group.calls) - 1 and index:
                        yield ("arg", group_index, -1, name), Evidence(cost + 0.05)
        for index, item in enumerate(group.items):
            if item == value:
                yield ("item", group_index, index), Evidence(0.3)
                if index == len(group.items) - 1:
                    yield ("item", group_index, -1), Evidence(0.35)
        if len(group.calls) > 1 and any(call.observation.series for call in group.calls):
            yield from _winners(value, group_index, state)


def _winners(value: str, group: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    for how in ("mean", "sum", "last", "growth"):
        for name in state.groups[group].calls[0].arguments:
            key = ("winner", group, how, name)
            if evaluate(key, state, _no_choice) == value:
                yield key, Evidence(0.7)


def _from_rows(value: str, index: int, state: State) -> Iterator[tuple[Key, Evidence]]:
    group = state.groups[index]
    if not group.rows:
        return
    holders = {
        column: {n for n, row in enumerate(group.rows) if row.get(column) == value}
        for column in group.columns
    }
    holders = {column: rows for column, rows in holders.items() if rows}
    for column in holders:
        for where in filters(index, state):
            left = unused(index, column, where, state)
            if left and left[0] == value:
                yield ("next", index, column, where), Evidence(0.45 + _filter_cost(where))
    if holders:
        for key, row in picks(index, state):
            for column, rows in holders.items():
                if row in rows:
                    cost = 0.3 + _filter_cost(key[2]) + _ORDER_COST[key[1][0]]
                    yield ("cell", index, key, column), Evidence(cost)
        if len(group.rows) > 1:
            yield from _counts(value, index, list(holders), state)


_ORDER_COST = {"first": 0.0, "last": 0.1, "min": 0.2, "max": 0.2}


def _filter_cost(where: Key) -> float:
    if where[0] == "and":
        return 0.2 + _filter_cost(where[1]) + _filter_cost(where[2])
    return {"all": 0.0, "said": 0.2, "known": 0.3, "when": 0.3, "eq": 0.4, "ne": 0.6}[where[0]]


def _counts(value: str, index: int, columns: list[str], state: State) -> Iterator[tuple[Key, Evidence]]:
    for column in columns:
        for where in filters(index, state):
            for which in ("most", "least"):
                key = ("count", index, column, which, where)
                if evaluate(key, state, _no_choice) == value:
                    yield key, Evidence(1.0 + _filter_cost(where))


def _moments(target: tuple[datetime, str], state: State) -> Iterator[tuple[Key, Evidence]]:
    wanted, form = target
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


Spans = tuple[tuple[str, tuple[Any, ...]], ...]


def _bases(state: State) -> Iterator[tuple[Key, datetime, float, Spans]]:
    """Moments to start from: the task's dates, the clock, earlier values, free time."""
    task = state.task
    for reading in READINGS:
        by_value: dict[datetime, list[int]] = {}
        for index in task.pools.get(reading, ()):
            by_value.setdefault(task.tokens[index].readings[reading], []).append(index)
        for moment, indexes in by_value.items():
            yield ("task", reading), moment, READINGS.index(reading) * 0.1, ((reading, tuple(indexes)),)
    for key, cost in _moment_keys(state):
        found = base_moment(key, state, _no_choice)
        if found:
            yield key, found, cost, ()


def _moment_keys(state: State) -> Iterator[tuple[Key, float]]:
    yield ("now",), 0.4
    for index, group in enumerate(state.groups):
        for column in group.columns:
            for row in (("first",), ("last",)):
                yield ("cell", index, ("pick", row, ("all",)), column), 0.5
            yield ("cell", index, ("pick", ("max", column), ("all",)), column), 0.6
    for key in slots.keys(state):
        yield key, 0.3 + 0.05 * slots.OPENINGS.index(key[2]) + (0.1 if key[3] == "half" else 0.0)


def _gap_cost(gap: int) -> float:
    return 0.0 if gap == 0 else min(1.5, 0.5 + 0.03 * abs(gap))


def _times(wanted: datetime, moment: datetime, form: str, state: State) -> Iterator[tuple[Key, float, Spans]]:
    """Ways to get the time of day."""
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


def _joined(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """Two values, one behind the other."""
    for base, first, cost in _parts(state):
        rest = value[len(first) :].lstrip(" ,;:-/|")
        if value.startswith(first) and rest:
            gap = value[len(first) : len(value) - len(rest)]
            for key, evidence in (*_from_text(rest, state), *_from_calls(rest, "", state)):
                yield ("join", base, gap, key), Evidence(0.5 + cost + evidence.cost, evidence.spans)


def _composed(value: str, state: State) -> Iterator[tuple[Key, Evidence]]:
    """A text with a value inside: fixed words before or after it."""
    yield from _joined(value, state)
    for base, inner, cost in _parts(state):
        for case in ("same", "snake", "lower"):
            text = recase(inner, case)
            start = value.find(text)
            if start >= 0:
                key = ("affix", base, value[:start], case, value[start + len(text) :])
                yield key, Evidence(1.0 + cost + (0.1 if case != "same" else 0.0))
                break


def _parts(state: State) -> Iterator[tuple[Key, str, float]]:
    for index, group in enumerate(state.groups):
        if len(group.calls) > 1:
            for name in group.calls[0].arguments:
                for how in ("mean", "sum"):
                    won = evaluate(("winner", index, how, name), state, _no_choice)
                    if won and len(won) >= 4:
                        yield ("winner", index, how, name), won, 0.1
        for place, item in enumerate(group.items[:8]):
            yield ("item", index, place), item, 0.0
        for name, argument in group.calls[0].arguments.items():
            if len(argument) >= 4:
                yield ("arg", index, 0, name), argument, 0.2
        for column in group.columns if len(group.rows) <= 5 else ():
            cell = group.rows[0].get(column, "")
            if len(cell) >= 4 and column not in number_columns(group):
                yield ("cell", index, ("pick", ("first",), ("all",)), column), cell, 0.3
