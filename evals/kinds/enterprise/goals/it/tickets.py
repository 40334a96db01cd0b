"""IT: what single tickets say."""

from __future__ import annotations

from functools import partial

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    days_taken,
    draw_named,
    draw_numbered,
    draw_ticket,
    find_ticket,
    has_raised,
    open_ticket,
    ticket_fact,
)
from evals.kinds.enterprise.goals.paths import HERE, Ask, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.unfit import UnfitError, need

GROUP = GoalGroup("it/tickets.toml")


def draw_ticket_about(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    slots = {
        "category": row["category"],
        "topic": ticket_fact(ctx, row, "topic"),
        "project": ticket_fact(ctx, row, "project"),
    }
    same = [
        other
        for other in ctx.facts.where("tickets", category=row["category"])
        if (ticket_fact(ctx, other, "topic"), ticket_fact(ctx, other, "project"))
        == (slots["topic"], slots["project"])
    ]
    if len(same) > 1:
        raise UnfitError
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.text(row["priority"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_ticket_about)
def ticket_about(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "tickets", "I search the tickets of that category.",
        category=slots["category"], query=f"{slots['topic']} {slots['project']}", limit="3",
    )  # fmt: skip
    for row in rows:
        if slots["topic"] in row["issue"] and slots["project"] in row["issue"]:
            return plan.pick(row)["ticket_id"], row["priority"]
    raise UnfitError("no such ticket")


def draw_own(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"]))
    helper = need(ctx.facts.person(row["emp_id"]))
    answer = [entities.person(helper), entities.date(row["assigned_date"])]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_own, who=has_raised)
def own(slots: Slots, plan: PlanRecorder) -> Values:
    row = open_ticket(plan, slots)
    return row["resolver_name"], row["assigned_date"]


_DAYS = Ask(
    HERE, lambda _, ticket: entities.number(days_taken(ticket)), lambda _, ticket: str(days_taken(ticket))
)
_NUMBER = HERE.ident("ticket_id")
GROUP.add(
    ticket_of=Question(Start("tickets", draw_named, find_ticket), _NUMBER, HERE.date("assigned_date")),
    outcome=Question(
        Start("tickets", partial(draw_numbered, status="resolved"), open_ticket),
        HERE.fact("tickets", "clause"),
        HERE.date("closed_date"),
    ),
    duration=Question(Start("tickets", partial(draw_named, status="resolved"), find_ticket), _NUMBER, _DAYS),
)
