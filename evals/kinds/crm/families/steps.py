"""Steps and rankings that plans of several families share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from worksmith.evals.kinds.crm.questions.family import Doubt, Question, Truth, Values
from worksmith.evals.kinds.crm.questions.periods import Period, Window
from worksmith.evals.kinds.crm.questions.plan_recorder import PlanRecorder, Seen
from worksmith.evals.tasks.task import Entity


def window_of(question: Question) -> Window:
    return _window(question.slots["period"], question.today)


@lru_cache(maxsize=1024)
def _window(period: str, today: date) -> Window:
    return Period.of(period).window(today)


def ask_window(recorder: PlanRecorder, question: Question) -> dict[str, Any]:
    """The window of a question as arguments of function tools."""
    period = Period.of(question.slots["period"])
    if not period.relative:
        found = recorder.call(
            "functions.get_period",
            f"I need the first and last moment of {period.text}.",
            period_name=period.name,
            year=period.year,
        )
        return {"start_date": found["start_date"], "end_date": found["end_date"]}
    unit, count = ("month", 12 * period.count) if period.unit == "year" else (period.unit, period.count)
    end = written(question.today)
    start = recorder.call(
        "functions.get_start_date",
        f"The period ends today; I need its beginning, {count} {unit}s back.",
        end_date=end,
        period=unit,
        interval_count=count,
    )
    return {"start_date": start, "end_date": end}


def ask_extreme(recorder: PlanRecorder, why: str, values: Seen, extreme: str) -> tuple[str, ...]:
    """All ids with the greatest or least value, by function tools."""
    tool = "functions.find_id_with_max_value" if extreme == "max" else "functions.find_id_with_min_value"
    found = recorder.call(tool, why, values_by_id=values).value
    return tuple(sorted([found] if isinstance(found, str) else found))


def within(field: str, window: Window, *, end_too: bool = False) -> str:
    return f"{field} >= {written(window.start)} AND {field} {'<=' if end_too else '<'} {written(window.end)}"


def written(day: date) -> str:
    """A moment, or the beginning of a day, as queries and function tools take it."""
    moment = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def read_moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.000+0000")


def leader(values: Mapping[str, float], extreme: str, entity: str) -> Truth:
    """The one with the greatest (`max`) or least (`min`) value; None if there is nobody.

    Args:
        entity: type of the answer.
    """
    found = leaders(values, extreme)
    if found is None:
        return None
    return Doubt("tie") if len(found) > 1 else (Entity(type=entity, value=found[0]),)


def narrow(values: Mapping[str, float], extreme: str, margin: float) -> Doubt | None:
    """Why an answer would be luck: there is only one to choose from, or the second is too near the first.

    Args:
        margin: by what factor the first has to be ahead.
    """
    if not values:
        return None
    if len(values) == 1:
        return Doubt("only one to choose from")
    first, second = sorted(values.values(), reverse=extreme == "max")[:2]
    return Doubt("too close") if max(first, second) < margin * min(first, second) else None


def leaders(values: Mapping[str, float], extreme: str) -> Values:
    """All with the greatest or least value; None if there is nobody."""
    if not values:
        return None
    best = (max if extreme == "max" else min)(values.values())
    return tuple(sorted(key for key, value in values.items() if value == best))
