"""HR: what personnel records say of several people, compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    latest,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr.employees import look, named, names, several
from worksmith.evals.kinds.enterprise.goals.hr.people import entity
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Entity
from worksmith.tools.files.data_files import read_toml

GROUP = GoalGroup("hr/comparisons.toml")

R = TypeVar("R", bound=Record)

_WORDS = read_toml(__package__, "words.toml")
_COMPARED: Mapping[str, str] = _WORDS["compared"]
_OF_TWO: Mapping[str, str] = _WORDS["compared_two"]


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


def _draw_compared(ctx: DrawContext, number: int) -> Draw:
    found, field = attempt(several, ctx, number), ctx.rng.choice(list(_COMPARED))
    rows = need(found)
    first = _most(rows, lambda row: row[field])
    answer = [entities.person(first), entity(first, field)]
    words = _OF_TWO if number == 2 else _COMPARED
    slots = {**names(rows), "ask": words[field], "field": field}
    return ctx.draw(slots, answer=answer, subject=rows[0]["emp_id"])


def _compared(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    rows = [look(plan, name) for name in named(slots, number)]
    first = _most(rows, lambda row: plan.private(row, slots["field"]))
    return first["name"], first[slots["field"]]


def _most(rows: Sequence[R], read: Callable[[R], str]) -> R:
    """The one with most, if unique."""
    order = sorted(((int(read(row)), row) for row in rows), key=lambda one: one[0], reverse=True)
    if len(order) < 2 or order[0][0] == order[1][0]:
        raise UnfitError
    return order[0][1]


def _draw_since(ctx: DrawContext, number: int, *, post: bool) -> Draw:
    rows = several(ctx, number)
    days = sorted(row["doj"] for row in rows)
    if days[0] == days[1]:
        raise UnfitError
    first = min(rows, key=lambda row: row["doj"])
    answer = [entities.person(first), entities.date(first["doj"])]
    return ctx.draw(names(rows), answer=[*answer, _latest_post(ctx, first)] if post else answer)


def _since(slots: Slots, plan: PlanRecorder, number: int, *, post: bool) -> Values:
    rows = [look(plan, name) for name in named(slots, number)]
    plan.weigh(*rows)
    first = min(rows, key=lambda row: row["doj"])
    found = first["name"], first["doj"]
    return (*found, _find_latest_post(plan, first)) if post else found


def _draw_portraits(ctx: DrawContext, number: int) -> Draw:
    rows = [ctx.other(ctx.facts.colleague(ctx.pick("posts")["emp_id"])) for _ in range(number)]
    if len({row["emp_id"] for row in rows}) < number:
        raise UnfitError
    answer = [one for row in rows for one in (entities.date(row["doj"]), _latest_post(ctx, row))]
    return ctx.draw(names(rows), answer=answer)


def _portraits(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    found: list[str] = []
    for name in named(slots, number):
        row = look(plan, name)
        found += [row["doj"], _find_latest_post(plan, row)]
    return tuple(found)


def _latest_post(ctx: DrawContext, author: Record) -> Entity:
    return entities.text(latest(ctx.facts.where("posts", emp_id=author["emp_id"]), "date")["title"])


def _find_latest_post(plan: PlanRecorder, author: Row) -> str:
    posts = plan.every("posts", f"I look for the posts by {author['name']}.", author=author["emp_id"])
    return posts.first["title"]


GROUP.add(
    compared=Logic.given(_draw_compared, _compared, number=2),
    three_compared=Logic.given(_draw_compared, _compared, number=3),
    three_since=Logic.given(_draw_since, _since, number=3, post=False),
    three_since_post=Logic.given(_draw_since, _since, number=3, post=True),
    four_since_post=Logic.given(_draw_since, _since, number=4, post=True),
    two_portraits=Logic.given(_draw_portraits, _portraits, number=2),
    three_portraits=Logic.given(_draw_portraits, _portraits, number=3),
)
