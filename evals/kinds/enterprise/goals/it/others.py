"""IT: what else is open, if anything, and tickets together with a colleague who is concerned."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    draw_named,
    draw_ticket,
    find_ticket,
    has_raised,
    open_ticket,
    policy_of,
    policy_page,
    raiser,
    resolver,
    resolver_of,
    ticket_fact,
)
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Entity

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


def draw_outcome_for_raiser(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx, status="resolved")
    person, clause = raiser(ctx, row), ticket_fact(ctx, row, "clause")
    answer = [_city(ctx, person), entities.text(clause), entities.text(policy_page(ctx, clause)["title"])]
    slots = {"name": person["name"], "ticket": row["ticket_id"]}
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_outcome_for_raiser)
def outcome_for_raiser(slots: Slots, plan: PlanRecorder) -> Values:
    city = _office(plan, slots)
    clause = plan.fact(open_ticket(plan, slots), "clause")
    return city, clause, policy_of(plan, clause)["title"]


def draw_own_with_colleague(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"]))
    solver, person = resolver(ctx, row), ctx.colleague()
    answer = [_city(ctx, person), entities.person(solver), entities.text(solver["title"])]
    slots = {"name": person["name"], "ticket": row["ticket_id"]}
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_own_with_colleague, who=has_raised)
def own_with_colleague(slots: Slots, plan: PlanRecorder) -> Values:
    city = _office(plan, slots)
    solver = resolver_of(plan, open_ticket(plan, slots))
    return city, solver["name"], solver["title"]


def _city(ctx: DrawContext, person: Record) -> Entity:
    return entities.text(need(ctx.facts.fact("employees", person["emp_id"], "location")))


def _office(plan: PlanRecorder, slots: Slots) -> str:
    person = plan.one("employees", f"I look {slots['name']} up.", name=slots["name"])
    return plan.fact(person, "location")
