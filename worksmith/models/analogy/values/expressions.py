"""Expressions: ways to get a value from a state. A key names one without the values of any episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from worksmith.models.analogy.reading import dates
from worksmith.models.analogy.reading.observation import number
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.statements import written
from worksmith.models.analogy.reading.words import recase
from worksmith.models.analogy.values import free_time
from worksmith.models.analogy.values.figures import average, figure, leader, plain
from worksmith.models.analogy.values.moments import Key, now
from worksmith.models.analogy.values.rows import kept, pick, unused
from worksmith.models.analogy.values.series import summary

T = TypeVar("T")
Chooser = Callable[[Any], Any]
"""Gives the value of the task's piece with a reading, for expressions that copy from the task."""


@dataclass(frozen=True)
class Evidence:
    """The evidence that an expression explains a demonstrated value.

    Attributes:
        cost: 0 for the plainest explanation, more for a far-fetched one.
        spans: for each reading it takes from the task, the tokens (or token ranges) that fit.
    """

    cost: float
    spans: tuple[tuple[Any, tuple[Any, ...]], ...] = ()


def no_choice(reading: Any) -> None:
    """Choose nothing, for expressions that copy nothing from the task."""


def evaluate(key: Key, state: State, choose: Chooser) -> str | None:
    """The text that an expression gives in a state; None when it gives nothing there."""
    return _EVALUATORS[key[0]](key, state, choose)


def _arg(key: Key, state: State, choose: Chooser) -> str | None:
    group = state.group(key[1])
    call = _at(group.calls, key[2]) if group else None
    return call.arguments.get(key[3]) if call else None


def _at(values: Sequence[T], index: int) -> T | None:
    return values[index] if -len(values) <= index < len(values) else None


def _cell(key: Key, state: State, choose: Chooser) -> str | None:
    row = pick(key[2], key[1], state)
    return row.get(key[3]) if row else None


def _item(key: Key, state: State, choose: Chooser) -> str | None:
    group = state.group(key[1])
    return _at(group.items, key[2]) if group else None


def each(key: Key, state: State) -> tuple[str, ...]:
    """The cells of a column, or the scalars of a run, each once."""
    group = state.group(key[1])
    if group is None:
        return ()
    if not key[2]:
        return tuple(dict.fromkeys(group.items))
    cells = (group.rows[index].get(key[2], "") for index in kept(key[1], key[3], state))
    return tuple(dict.fromkeys(cell for cell in cells if cell))


def _reply(key: Key, state: State, choose: Chooser) -> str | None:
    group = state.group(key[1])
    return group.calls[-1].observation.text if group else None


def _task(key: Key, state: State, choose: Chooser) -> str | None:
    value = choose(key[1])
    return None if value is None else recase(str(value), key[2])


def _leader(key: Key, state: State, choose: Chooser) -> str | None:
    """The value that leads its column, or the amount that it leads with."""
    found = leader(key, state)
    if found is None:
        return None
    return found[0] if key[0] == "count" else plain(found[1])


def _month(key: Key, state: State, choose: Chooser) -> str | None:
    """Year and month of a row as people write them: `2031-05`."""
    row = pick(key[2], key[1], state)
    year, month = (number(row.get(column, "")) if row else None for column in key[3:])
    return f"{int(year)}-{int(month):02}" if year is not None and month is not None else None


def _winner(key: Key, state: State, choose: Chooser) -> str | None:
    """The argument of the call whose series has the largest summary."""
    group = state.group(key[1])
    scored = []
    for call in group.calls if group else ():
        value = summary(tuple(v for _, v in call.observation.series), key[2])
        if value is not None and key[3] in call.arguments:
            scored.append((value, call.arguments[key[3]]))
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def _affix(key: Key, state: State, choose: Chooser) -> str | None:
    value = evaluate(key[1], state, choose)
    return None if value is None else f"{key[2]}{recase(value, key[3])}{key[4]}"


def _join(key: Key, state: State, choose: Chooser) -> str | None:
    first, second = evaluate(key[1], state, choose), evaluate(key[3], state, choose)
    return None if first is None or second is None else f"{first}{key[2]}{second}"


def _moment(key: Key, state: State, choose: Chooser) -> str | None:
    """A date, shifted and given a time of day: (base, shift, time of day, format)."""
    moment = base_moment(key[1], state, choose)
    if moment is None:
        return None
    (shift, size), (clock_time, *rest) = key[2], key[3]
    days = size if shift == "days" else _times(choose("days"), size)
    if days is None:
        return None
    moment += timedelta(days=days)
    if clock_time in ("at", "time"):
        moment = moment.replace(hour=0, minute=0, second=0)
    seconds = rest[0] if rest else 0
    if clock_time in ("time", "longer"):
        minutes = choose("time" if clock_time == "time" else "minutes")
        if minutes is None:
            return None
        moment += timedelta(minutes=float(minutes))
    moment += timedelta(seconds=seconds)
    return moment.strftime(key[4])


def _times(days: Any, size: int) -> float | None:
    return None if days is None else float(days) * size


def base_moment(key: Key, state: State, choose: Chooser) -> datetime | None:
    """The moment that a base key names: the clock, a free slot, a date of the task, a date in a value."""
    if key[0] == "now":
        return now(state)
    if key[0] == "free":
        return free_time.free(key, state)
    if key[0] == "task":
        value = choose(key[1])
        return value if isinstance(value, datetime) else None
    text = evaluate(key, state, choose)
    found = dates.parse(text) if text else None
    return found[0] if found else None


def _text(key: Key, state: State, choose: Chooser) -> str | None:
    """A piece of a long text that was seen: (the text, reading, form)."""
    value = choose(key[:3])
    if isinstance(value, datetime):
        return value.strftime(key[3])
    return None if value is None else str(value)


def _number(key: Key, state: State, choose: Chooser) -> str | None:
    value = choose(key[1])
    found = number(str(value)) if value is not None else None
    if found is None:
        return None
    return str(int(found)) if found == int(found) else str(found)


_EVALUATORS: dict[str, Callable[[Key, State, Chooser], str | None]] = {
    "const": lambda key, state, choose: str(key[1]),
    "arg": _arg,
    "cell": _cell,
    "next": lambda key, state, choose: next(iter(unused(key[1], key[2], key[3], state)), None),
    "item": _item,
    "each": lambda key, state, choose: written(each(key, state)) or None,
    "reply": _reply,
    "task": _task,
    "average": lambda key, state, choose: average(key, state),
    "month": _month,
    **dict.fromkeys(("count", "lead"), _leader),
    **dict.fromkeys(
        ("fact", "tally", "total", "mean", "distinct"), lambda key, state, choose: figure(key, state)
    ),
    "winner": _winner,
    "affix": _affix,
    "join": _join,
    "moment": _moment,
    "number": _number,
    "text": _text,
}
