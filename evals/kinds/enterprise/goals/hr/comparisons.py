"""HR: what personnel records say of several people, compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, attempt, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Logic, Slots, Values
from evals.kinds.enterprise.goals.hr.employees import climb, look, three
from evals.kinds.enterprise.goals.hr.people import entity
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from tools.files.data_files import read_toml

GROUP = GoalGroup("hr/comparisons.toml")

R = TypeVar("R", bound=Record)

_COMPARED: Mapping[str, str] = read_toml(__package__, "words.toml")["compared"]


def draw_report_with_most(ctx: DrawContext) -> Draw:
    rows = ctx.facts.where("employees", reports_to=ctx.me["emp_id"], is_valid="TRUE")
    field = ctx.rng.choice(list(_COMPARED))
    first = _most(rows, lambda row: row[field])
    answer = [entities.person(first), entity(first, field)]
    return ctx.draw({"ask": _COMPARED[field], "field": field}, answer=answer)


@GROUP.goal(draw_report_with_most)
def report_with_most(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("employees", "I look at everybody who reports to me.", reports_to="me")
    here = [row for row in rows if row["is_valid"] == "TRUE"]
    first = _most(here, lambda row: row[slots["field"]])
    return first["name"], first[slots["field"]]


def _draw_compared(ctx: DrawContext, number: int, steps: int) -> Draw:
    found, field = attempt(three, ctx), ctx.rng.choice(list(_COMPARED))
    rows = need(found)[:number]
    first = _most(rows, lambda row: row[field])
    answer = [entities.person(first), entity(first, field)]
    if steps:
        answer[1:] = [entities.ident("email", ctx.above(first, steps)["email"])]
    return ctx.draw(
        {**_names(rows), "ask": _COMPARED[field], "field": field}, answer=answer, subject=rows[0]["emp_id"]
    )


def _most(rows: Sequence[R], read: Callable[[R], str]) -> R:
    """Who has most, if nobody else has as much."""
    order = sorted(((int(read(row)), row) for row in rows), key=lambda one: one[0], reverse=True)
    if len(order) < 2 or order[0][0] == order[1][0]:
        raise UnfitError
    return order[0][1]


def draw_three_since(ctx: DrawContext) -> Draw:
    rows = three(ctx)
    days = sorted(row["doj"] for row in rows)
    if not rows or days[0] == days[1]:
        raise UnfitError
    first = min(rows, key=lambda row: row["doj"])
    answer = [entities.person(first), entities.date(first["doj"])]
    return ctx.draw(_names(rows), answer=answer)


@GROUP.goal(draw_three_since)
def three_since(slots: Slots, plan: PlanRecorder) -> Values:
    rows = [look(plan, slots[name]) for name in ("name", "name2", "name3")]
    plan.weigh(*rows)
    first = min(rows, key=lambda row: row["doj"])
    return first["name"], first["doj"]


def draw_managers_since(ctx: DrawContext) -> Draw:
    found = _managers(ctx, 2)
    if len(found) < 2:
        raise UnfitError
    first = min((manager for _, manager in found), key=lambda row: row["doj"])
    if len({manager["doj"] for _, manager in found}) < len(found):
        raise UnfitError
    answer = [entities.person(first), entities.date(first["doj"])]
    return ctx.draw(_names([row for row, _ in found]), answer=answer)


@GROUP.goal(draw_managers_since)
def managers_since(slots: Slots, plan: PlanRecorder) -> Values:
    rows = [look(plan, slots["name"]), look(plan, slots["name2"])]
    managers = [climb(plan, row) for row in rows]
    plan.weigh(*managers)
    first = min(managers, key=lambda row: row["doj"])
    return first["name"], first["doj"]


def draw_managers_compared(ctx: DrawContext) -> Draw:
    people, field = attempt(_managers, ctx, 3), ctx.rng.choice(list(_COMPARED))
    found = need(people)
    first = _most([manager for _, manager in found], lambda row: row[field])
    slots = {**_names([row for row, _ in found]), "ask": _COMPARED[field], "field": field}
    answer = [entities.person(first), entity(first, field)]
    return ctx.draw(slots, answer=answer, subject=found[0][1]["emp_id"])


@GROUP.goal(draw_managers_compared)
def managers_compared(slots: Slots, plan: PlanRecorder) -> Values:
    rows = [look(plan, slots[name]) for name in ("name", "name2", "name3")]
    managers = [climb(plan, row) for row in rows]
    first = _most(managers, lambda row: plan.private(row, slots["field"]))
    return first["name"], first[slots["field"]]


def _managers(ctx: DrawContext, number: int) -> list[tuple[Record, Record]]:
    """People with their managers, all different."""
    found = [(row, ctx.above(row)) for row in three(ctx)[:number]]
    if len({row["emp_id"] for pair in found for row in pair}) < 2 * number:
        raise UnfitError
    return found


def _names(rows: Sequence[Record]) -> dict[str, str]:
    return {f"name{place + 1 if place else ''}": row["name"] for place, row in enumerate(rows)}


def _compared(slots: Slots, plan: PlanRecorder, number: int, steps: int) -> Values:
    rows = [look(plan, slots[name]) for name in ("name", "name2", "name3")[:number]]
    first = _most(rows, lambda row: plan.private(row, slots["field"]))
    return first["name"], climb(plan, first, steps)["email"] if steps else first[slots["field"]]


GROUP.add(
    compared=Logic.given(_draw_compared, _compared, number=2, steps=0),
    three_compared=Logic.given(_draw_compared, _compared, number=3, steps=0),
    three_compared_boss=Logic.given(_draw_compared, _compared, number=3, steps=1),
    three_compared_above=Logic.given(_draw_compared, _compared, number=3, steps=2),
)
