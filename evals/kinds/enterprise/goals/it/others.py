"""IT: what else is open, if anything, and tickets together with a colleague who is concerned."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    draw_numbered,
    draw_ticket,
    find_ticket,
    has_raised,
    open_ticket,
    policy_of,
    policy_page,
    raiser,
    resolved_by_another,
    resolver,
    resolver_of,
    ticket_fact,
)
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Entity


def _of_another(ctx: DrawContext) -> Found:
    """A resolved ticket of another person."""
    found = draw_numbered(ctx, status="resolved")
    if found.row["raised_by_emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return found


def _managed(ctx: DrawContext) -> Found:
    """The resolver of the ticket, whose manager works at the helpdesk as well."""
    person = resolver(ctx, ctx.drawn["tickets"])
    if ctx.above(person)["department"] not in HELPDESK:
        raise UnfitError
    return Found(person, {})


GROUP = GoalGroup(
    "it/others.toml", draws=(_of_another, resolved_by_another, _managed), finds=(open_ticket, find_ticket)
)


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
