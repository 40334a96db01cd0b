"""HR: what the directory and personnel records say of oneself, and of colleagues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr.employees import climb, look, myself, someone
from worksmith.evals.kinds.enterprise.goals.paths import Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row
from worksmith.evals.tasks.task import Entity
from worksmith.tools.files.data_files import read_toml

R = TypeVar("R", bound=Record)

_WORDS = read_toml(__package__, "words.toml")
_MINE: Mapping[str, str] = _WORDS["mine"]

_PRIVATE: Mapping[str, str] = _WORDS["private"]
_TOLD: Mapping[str, str] = _WORDS["biography"]

_NONE = "none"
_SEPARATOR = "; "


def entity(row: Record, field: str) -> Entity:
    """A field of a personnel record as a value of an answer."""
    value = row[field]
    if field == "salary":
        return entities.amount(value)
    if field == "doj":
        return entities.date(value)
    if field == "department":
        return entities.text(value, row["category"])
    if value.isdigit():
        return Entity(type="number", value=value)
    return entities.text(value)


def _draw_post(ctx: DrawContext) -> Found:
    post = ctx.pick("posts")
    if not ctx.facts.unique("posts", "title", post["title"]):
        raise UnfitError
    return Found(post, {"title": post["title"]})


def _draw_myself(ctx: DrawContext) -> Found:
    return Found(ctx.me, {})


def _find_myself(plan: PlanRecorder, _: Slots) -> Row:
    return myself(plan)


GROUP = GoalGroup(
    "hr/people.toml",
    draws=(_draw_post, _draw_myself),
    finds=(_find_myself,),
    links={"boss": Link(lambda ctx, row: ctx.above(row), climb)},
)


def draw_my_record(ctx: DrawContext) -> Draw:
    first, second = ctx.rng.sample(list(_MINE), 2)
    slots = {"ask": _MINE[first], "ask2": _MINE[second], "field": first, "field2": second}
    answer = [entity(ctx.me, first), entity(ctx.me, second)]
    if answer[0].value == answer[1].value:
        raise UnfitError
    return ctx.draw(slots, answer=answer)


@GROUP.goal(draw_my_record)
def my_record(slots: Slots, plan: PlanRecorder) -> Values:
    me = myself(plan)
    plan.weigh(me)
    return me[slots["field"]], me[slots["field2"]]


def draw_my_balances(ctx: DrawContext) -> Draw:
    left = [ctx.me[field] for field in _balances()]
    if len(set(left)) < len(left):
        raise UnfitError
    return ctx.draw({}, answer=[entities.number(int(value)) for value in left])


@GROUP.goal(draw_my_balances)
def my_balances(slots: Slots, plan: PlanRecorder) -> Values:
    me = myself(plan)
    plan.weigh(me)
    return tuple(me[field] for field in _balances())


def _balances() -> Sequence[str]:
    return "remaining_casual_leaves", "remaining_sick_leaves", "remaining_vacation_leaves"


def draw_private_record(ctx: DrawContext) -> Draw:
    found, field = attempt(someone, ctx), ctx.rng.choice(list(_PRIVATE))
    row = need(found)
    slots = {"name": row["name"], "ask": _PRIVATE[field], "field": field}
    return ctx.draw(slots, answer=[entity(row, field)], about=[("employees", row)], subject=row["emp_id"])


@GROUP.goal(draw_private_record)
def private_record(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    plan.weigh(row)
    return (plan.private(row, slots["field"]),)


def draw_biography(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    latent = need(ctx.facts.latent("employees", row["emp_id"], "biography"))
    fact = ctx.rng.choice([name for name in _TOLD if name in latent.facts])
    value = latent.facts[fact]
    answer = entities.number(int(value)) if fact == "years_before" else entities.text(value)
    slots = {"name": row["name"], "ask": _TOLD[fact].format_map(row), "fact": fact}
    return ctx.draw(slots, answer=[answer])


@GROUP.goal(draw_biography)
def biography(slots: Slots, plan: PlanRecorder) -> Values:
    return (plan.fact(look(plan, slots["name"]), slots["fact"]),)


def draw_skilled_first(ctx: DrawContext) -> Draw:
    one = someone(ctx)
    skill = ctx.rng.choice(one["skills"].split(", "))
    found = [
        row for row in ctx.facts.where("employees", department=one["department"]) if skill in row["skills"]
    ]
    # A skill may be a part of another's name.
    if len(found) > MOST_READ or any(skill not in row["skills"].split(", ") for row in found):
        raise UnfitError
    first = _first_here(found)
    answer = [entities.person(first), entities.date(first["doj"])]
    return ctx.draw({"skill": skill, "department": one["category"]}, answer=answer)


@GROUP.goal(draw_skilled_first)
def skilled_first(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "employees", "I look for that skill there.", department=slots["department"], skill=slots["skill"]
    )
    first = _first_here(rows)
    return first["name"], first["doj"]


def _first_here(rows: Sequence[R]) -> R:
    """The employee who joined first, if unique on that day."""
    order = sorted((row for row in rows if row["is_valid"] == "TRUE"), key=lambda row: row["doj"])
    if len(order) < 2 or order[0]["doj"] == order[1]["doj"]:
        raise UnfitError
    return order[0]


def draw_certificates(ctx: DrawContext) -> Draw:
    row = someone(ctx)
    held = need(ctx.facts.fact("employees", row["emp_id"], "certificates"))
    names = [] if held == _NONE else held.split(_SEPARATOR)
    answer = [entities.text(name) for name in names]
    return ctx.draw({"name": row["name"]}, answer=answer, nothing=not names)


@GROUP.goal(draw_certificates)
def certificates(slots: Slots, plan: PlanRecorder) -> Values:
    row = look(plan, slots["name"])
    held = plan.understood(row, "certificates")
    return () if held == _NONE else tuple(held.split(_SEPARATOR))


def draw_successor_of_whom(ctx: DrawContext) -> Draw:
    some = [one for one in ctx.facts.latents("employees", "biography") if one.facts.get("successor")]
    if not some:
        raise UnfitError
    row = need(ctx.facts.at(ctx.rng.choice(some).ref))
    boss = ctx.above(row)
    if not ctx.facts.known_by_name(row) or row is ctx.me:
        raise UnfitError
    if ctx.facts.fact("employees", row["emp_id"], "successor") != boss["name"]:
        raise UnfitError
    answer = [entities.person(boss), entities.date(boss["doj"])]
    return ctx.draw({"name": row["name"]}, answer=answer)


@GROUP.goal(draw_successor_of_whom)
def successor_of_whom(slots: Slots, plan: PlanRecorder) -> Values:
    name = plan.fact(look(plan, slots["name"]), "successor")
    return name, look(plan, name)["doj"]
