"""IT: what single tickets say."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    OTHERS,
    days_taken,
    draw_named,
    draw_ticket,
    find_ticket,
    has_raised,
    open_ticket,
    told,
)
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.unfit import UnfitError, need

GROUP = GoalGroup("IT", "it/tickets.toml", departments=HELPDESK)
SUBAREA = "ticket analysis"


def draw_ticket_of(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx)
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.date(row["assigned_date"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_ticket_of)
def ticket_of(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_ticket(plan, slots)
    return row["ticket_id"], row["assigned_date"]


def draw_ticket_about(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    slots = {
        "category": row["category"],
        "topic": told(ctx, row, "topic"),
        "project": told(ctx, row, "project"),
    }
    same = [
        other
        for other in ctx.facts.where("tickets", category=row["category"])
        if (told(ctx, other, "topic"), told(ctx, other, "project")) == (slots["topic"], slots["project"])
    ]
    if len(same) > 1:
        raise UnfitError
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.text(row["priority"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_ticket_about)
def ticket_about(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "tickets", "I search the tickets of that category.",
        category=slots["category"], query=f"{slots['topic']} {slots['project']}", limit="3",
    )  # fmt: skip
    for row in rows:
        if slots["topic"] in row["issue"] and slots["project"] in row["issue"]:
            return plan.pick(row)["ticket_id"], row["priority"]
    raise UnfitError("no such ticket")


def draw_outcome(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx, status="resolved")
    answer = [entities.text(told(ctx, row, "clause")), entities.date(row["closed_date"])]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_outcome, denials=("wrong_department",))
def outcome(slots: Slots, plan: PlanRecorder) -> Values:
    row = open_ticket(plan, slots)
    return plan.fact(row, "clause"), row["closed_date"]


def draw_own(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"]))
    helper = need(ctx.facts.person(row["emp_id"]))
    answer = [entities.person(helper), entities.date(row["assigned_date"])]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_own, who=has_raised, departments=OTHERS, denials=("not_participant",))
def own(slots: Slots, plan: PlanRecorder) -> Values:
    row = open_ticket(plan, slots)
    return row["resolver_name"], row["assigned_date"]


def draw_duration(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx, status="resolved")
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.number(days_taken(row))]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_duration)
def duration(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_ticket(plan, slots)
    return row["ticket_id"], str(days_taken(row))
