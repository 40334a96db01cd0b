"""IT: what else is open, if anything: of the same raiser, with the same resolver, or with their manager."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    draw_named,
    draw_ticket,
    find_ticket,
    has_raised,
    manager_but_me,
    open_ticket,
    raiser,
    resolver,
    resolver_of,
    ticket_fact,
)
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder

GROUP = GoalGroup("it/others.toml")


def draw_raiser_open(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx, status="resolved")
    if row["raised_by_emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    rows = ctx.facts.where("tickets", raised_by_emp_id=row["raised_by_emp_id"], status="open")
    return ctx.listing({"ticket": row["ticket_id"]}, rows, "ticket_id", [("tickets", row)])


@GROUP.goal(draw_raiser_open)
def raiser_open(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = open_ticket(plan, slots)
    rows = plan.every(
        "tickets", "What of this raiser is open?", raised_by=ticket["raised_by_emp_id"], status="open"
    )
    return plan.listing(rows, "ticket_id")


def draw_resolver_open(ctx: DrawContext) -> Draw:
    row, slots, _ = draw_named(ctx, status="resolved")
    person = resolver(ctx, row)
    return ctx.listing(
        slots,
        ctx.facts.where("tickets", emp_id=person["emp_id"], status="open"),
        "ticket_id",
        [("tickets", row)],
    )


@GROUP.goal(draw_resolver_open)
def resolver_open(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    rows = plan.every(
        "tickets", "What else is open with this resolver?", resolver=ticket["emp_id"], status="open"
    )
    return plan.listing(rows, "ticket_id")


def draw_manager_open(ctx: DrawContext) -> Draw:
    row, slots, _ = draw_named(ctx, status="resolved")
    person = resolver(ctx, row)
    manager = ctx.above(person)
    if manager["department"] not in HELPDESK:
        raise UnfitError
    return ctx.listing(
        slots,
        ctx.facts.where("tickets", emp_id=manager["emp_id"], status="open"),
        "ticket_id",
        [("tickets", row)],
    )


@GROUP.goal(draw_manager_open)
def manager_open(slots: Slots, plan: PlanRecorder) -> Values:
    person = resolver_of(plan, find_ticket(plan, slots))
    rows = plan.every(
        "tickets", "What is open with the manager?", resolver=person["reports_to"], status="open"
    )
    return plan.listing(rows, "ticket_id")


def draw_outcome_for_manager(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx, status="resolved")
    person = raiser(ctx, row)
    manager = manager_but_me(ctx, person)
    slots = {"name": person["name"], "ticket": row["ticket_id"]}
    answer = [entities.ident("email", manager["email"]), entities.text(ticket_fact(ctx, row, "clause"))]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_outcome_for_manager)
def outcome_for_manager(slots: Slots, plan: PlanRecorder) -> Values:
    person = plan.one("employees", f"I look {slots['name']} up.", name=slots["name"])
    manager = manager_of(plan, person)
    return manager["email"], plan.fact(open_ticket(plan, slots), "clause")


def draw_own_for_manager(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"]))
    manager, helper = ctx.above(ctx.me), resolver(ctx, row)
    answer = [entities.ident("email", manager["email"]), entities.person(helper)]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_own_for_manager, who=has_raised)
def own_for_manager(slots: Slots, plan: PlanRecorder) -> Values:
    manager = manager_of(plan, plan.one("employees", "I look up to whom I report.", emp_id="me"))
    return manager["email"], open_ticket(plan, slots)["resolver_name"]
