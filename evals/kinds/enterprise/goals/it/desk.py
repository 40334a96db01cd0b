"""IT: raising, changing, assigning and deleting tickets."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.draw_context import (
    DrawContext,
    UnfitError,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    draw_named,
    draw_numbered,
    draw_ticket,
    find_ticket,
    helper,
    ticket_fact,
    waits,
)
from worksmith.evals.kinds.enterprise.goals.paths import Found

PRIORITIES = ("high", "medium", "low")


def _trouble(ctx: DrawContext) -> Found:
    """What somebody may want to raise: its text, category and priority."""
    row = ctx.rng.choice(ctx.facts.all("tickets"))
    slots = {
        "text": ticket_fact(ctx, row, "symptom"),
        "category": row["category"],
        "priority": ctx.rng.choice(PRIORITIES),
    }
    return Found(ctx.me, slots)


def _for_helper(ctx: DrawContext) -> Found:
    """The same, and who is to resolve it."""
    name = helper(ctx)["name"]
    return Found(ctx.me, {**_trouble(ctx).slots, "name": name})


def _own_priority(ctx: DrawContext) -> Found:
    mine = ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"], status="open")
    found, priority = attempt(ctx.pick, "tickets", mine), ctx.rng.choice(PRIORITIES)
    row = need(found)
    if row["priority"] == priority:
        raise UnfitError
    return Found(row, {"ticket": row["ticket_id"], "priority": priority})


def _priority_of(ctx: DrawContext) -> Found:
    found, priority = attempt(draw_named, ctx, status="open"), ctx.rng.choice(PRIORITIES)
    row, slots, _ = need(found)
    if row["priority"] == priority:
        raise UnfitError
    return Found(row, {**slots, "priority": priority})


def _reassigned(ctx: DrawContext) -> Found:
    row, slots, _ = draw_named(ctx, status="open")
    return Found(row, {**slots, "other": helper(ctx, row["emp_id"])["name"]})


def _regrouped(ctx: DrawContext) -> Found:
    found, other = attempt(draw_named, ctx, status="open"), draw_ticket(ctx)["category"]
    row, slots, _ = need(found)
    if row["category"] == other:
        raise UnfitError
    return Found(row, {**slots, "other": other})


GROUP = GoalGroup(
    "it/desk.toml",
    draws=(
        _trouble, _for_helper, _own_priority, _priority_of, _reassigned, _regrouped, draw_numbered,
        draw_named,
    ),
    finds=(find_ticket,),
    who=(waits,),
)  # fmt: skip
