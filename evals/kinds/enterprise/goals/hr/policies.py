"""HR: what policy documents say, and dates and sums that follow from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from random import Random

from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr import clauses
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Rows
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.generating.latent import Latent

GROUP = GoalGroup("hr/policies.toml")

_UNVALUED = ("required", "forbidden")
_CITIES: Sequence[str] = read_toml(__package__, "words.toml")["cities"]


def draw_clause_exceptions(ctx: DrawContext) -> Draw:
    some = [
        one
        for one in clauses.clauses(ctx.facts)
        if bool(one.facts["exceptions"]) != ctx.empty and ":" not in one.facts["exceptions"]
    ]
    found = ctx.rng.choice(some)
    said = found.facts["exceptions"]
    answer = [entities.text(said)] if said else []
    return ctx.draw(_slots(ctx, found), answer=answer, nothing=not said)


@GROUP.goal(draw_clause_exceptions)
def clause_exceptions(slots: Slots, plan: PlanRecorder) -> Values:
    found = clauses.rule(plan, slots["title"], "I open the policy.", slots["clause"])
    return (found.exceptions,) if found.exceptions else plan.none(Rows([], 0, 0))


def _draw_values(ctx: DrawContext, number: int) -> Draw:
    some = [one for one in clauses.clauses(ctx.facts) if _asks_for_number(one)]
    found = ctx.rng.sample(some, number)
    if len({one.facts["policy"] for one in found}) < number:
        raise UnfitError
    slots: dict[str, str] = {}
    for place, one in enumerate(found):
        slots |= _slots(ctx, one, _suffix(place))
    values = [one.facts["value"] for one in found]
    if len(set(values)) < number:
        raise UnfitError
    return ctx.draw(slots, answer=[entities.number(int(value)) for value in values])


def _asks_for_number(one: Latent) -> bool:
    """Whether the number is not in its unit: "one day" has it."""
    return one.facts["operator"] not in _UNVALUED and one.facts["value"] != "1"


def _values(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    values = []
    for suffix in map(_suffix, range(number)):
        title = slots[f"title{suffix}"]
        found = clauses.rule(plan, title, f"What does the {title} say?", slots[f"clause{suffix}"])
        values.append(str(found.value))
    return tuple(values)


def _slots(ctx: DrawContext, found: Latent, suffix: str = "") -> dict[str, str]:
    return {
        f"title{suffix}": clauses.title(ctx.facts, found),
        f"subject{suffix}": found.facts["subject"],
        f"unit{suffix}": found.facts["unit"],
        f"clause{suffix}": found.facts["clause"],
    }


def _suffix(place: int) -> str:
    return str(place + 1) if place else ""


def _draw_deadlines(ctx: DrawContext, number: int) -> Draw:
    events = ctx.rng.sample(_events(), number)
    slots: dict[str, str] = {}
    answer = []
    for place, event in enumerate(events):
        before = event["order"] == "before"
        suffix, day = _suffix(place), _near(ctx, ahead=before)
        found = clauses.clause(ctx.facts, event["clause"])
        slots |= {
            f"event{suffix}": event["event"].format(day=day.isoformat()),
            f"duty{suffix}": event["duty"],
            f"title{suffix}": clauses.title(ctx.facts, found),
            f"clause{suffix}": event["clause"],
            f"day{suffix}": day.isoformat(),
            f"order{suffix}": event["order"],
        }
        answer.append(entities.date(_due(day, int(found.facts["value"]), event["order"])))
    if len({slots[f"title{_suffix(place)}"] for place in range(number)}) < number:
        raise UnfitError
    if len({one.value for one in answer}) != number:
        raise UnfitError
    return ctx.draw(slots, answer=answer)


def _deadlines(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    days = []
    for suffix in map(_suffix, range(number)):
        title = slots[f"title{suffix}"]
        found = clauses.rule(plan, title, f"Which time does the {title} set?", slots[f"clause{suffix}"])
        start = date.fromisoformat(slots[f"day{suffix}"])
        days.append(_due(start, found.value, slots[f"order{suffix}"]))
    return tuple(days)


def _due(day: date, days: int, order: str) -> str:
    return (day + timedelta(days=-days if order == "before" else days)).isoformat()


def _near(ctx: DrawContext, *, ahead: bool) -> date:
    """Some day of the last weeks, or one of the next months."""
    span = (40, 150) if ahead else (-45, -1)
    return ctx.facts.now.date() + timedelta(days=ctx.rng.randint(*span))


@cache
def _events() -> Sequence[dict[str, str]]:
    found: list[dict[str, str]] = read_toml(__package__, "words.toml")["events"]
    return tuple(found)


def draw_trip_refund(ctx: DrawContext) -> Draw:
    slots = _trip(ctx.rng)
    limits = {name: clauses.value(ctx.facts, name) for name in (clauses.HOTEL, clauses.MILEAGE)}
    hotel = clauses.clause(ctx.facts, clauses.HOTEL).facts["exceptions"]
    most = clauses.exceptional(ctx.facts, clauses.HOTEL) if slots["city"] in hotel else limits[clauses.HOTEL]
    return ctx.draw(slots, answer=[entities.amount(_refund(slots, most, limits[clauses.MILEAGE]))])


@GROUP.goal(draw_trip_refund)
def trip_refund(slots: Slots, plan: PlanRecorder) -> Values:
    hotel, mileage = clauses.rules(
        plan, clauses.EXPENSES, "I read the limits for trips.", clauses.HOTEL, clauses.MILEAGE
    )
    most = hotel.exceptional if slots["city"] in hotel.exceptions else hotel.value
    return (_refund(slots, most, mileage.value),)


def _trip(random: Random) -> dict[str, str]:
    return {
        "city": random.choice(_CITIES),
        "nights": str(random.randint(2, 6)),
        "price": str(random.randint(46, 98) * 100),
        "kilometres": str(random.randint(60, 480)),
    }


def _refund(slots: Slots, most: int, per_kilometre: int) -> str:
    return str(
        int(slots["nights"]) * min(int(slots["price"]), most) + int(slots["kilometres"]) * per_kilometre
    )


GROUP.add(
    clause_value=Logic.given(_draw_values, _values, number=1),
    two_values=Logic.given(_draw_values, _values, number=2),
    three_values=Logic.given(_draw_values, _values, number=3),
    deadline=Logic.given(_draw_deadlines, _deadlines, number=1),
    two_deadlines=Logic.given(_draw_deadlines, _deadlines, number=2),
)
