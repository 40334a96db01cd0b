"""IT: from tickets to those who raised or solved them, to those above, and to the policies that they name."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    Named,
    draw_named,
    draw_ticket,
    find_ticket,
    open_ticket,
    policy_of,
    raiser,
    raiser_of,
    resolver,
    resolver_of,
    title_of_clause,
    told,
)
from evals.kinds.enterprise.goals.it.tickets import SUBAREA
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.unfit import UnfitError
from evals.tasks.task import Entity

GROUP = GoalGroup("IT", "it/chains.toml", departments=HELPDESK)


def draw_raiser_contact(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    person = raiser(ctx, row)
    answer = [_address(person), entities.text(person["title"])]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_raiser_contact, denials=("wrong_department",))
def raiser_contact(slots: Slots, plan: PlanRecorder) -> Values:
    person = raiser_of(plan, open_ticket(plan, slots))
    return person["email"], person["title"]


def draw_resolver_contact(ctx: DrawContext) -> Draw:
    found = draw_named(ctx)
    person = resolver(ctx, found[0])
    return _draw(ctx, found, _number(found), _address(person))


@GROUP.goal(SUBAREA, steps=2, draw=draw_resolver_contact)
def resolver_contact(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    return ticket["ticket_id"], resolver_of(plan, ticket)["email"]


def draw_policy(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    return _draw(ctx, found, *_policy(ctx, found))


@GROUP.goal(SUBAREA, steps=2, draw=draw_policy)
def policy(slots: Slots, plan: PlanRecorder) -> Values:
    return _look_up_policy(plan, find_ticket(plan, slots))


def draw_verdict(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx, status="resolved")
    clause = told(ctx, row, "clause")
    answer = [
        entities.yes_or_no(told(ctx, row, "clause_result") == "obeyed"),
        entities.text(title_of_clause(ctx, clause)),
    ]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_verdict)
def verdict(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = open_ticket(plan, slots)
    obeyed = plan.understood(ticket, "clause_result") == "obeyed"
    return "yes" if obeyed else "no", policy_of(plan, plan.fact(ticket, "clause"))["title"]


def draw_raiser_manager(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    person = raiser(ctx, row)
    manager = ctx.above(person)
    answer = [entities.person(person), _address(manager)]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_raiser_manager)
def raiser_manager(slots: Slots, plan: PlanRecorder) -> Values:
    person = raiser_of(plan, open_ticket(plan, slots))
    return person["name"], manager_of(plan, person)["email"]


def draw_resolver_manager(ctx: DrawContext) -> Draw:
    found = draw_named(ctx)
    person = resolver(ctx, found[0])
    manager = ctx.above(person)
    return _draw(ctx, found, _number(found), _address(manager))


@GROUP.goal(SUBAREA, steps=3, draw=draw_resolver_manager)
def resolver_manager(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    return ticket["ticket_id"], manager_of(plan, resolver_of(plan, ticket))["email"]


def draw_policy_resolver(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    person = resolver(ctx, found[0])
    return _draw(ctx, found, *_policy(ctx, found), _address(person))


@GROUP.goal(SUBAREA, steps=3, draw=draw_policy_resolver)
def policy_resolver(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    return *_look_up_policy(plan, ticket), resolver_of(plan, ticket)["email"]


def draw_both_contacts(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    people = _both(ctx, row)
    answer = [_address(person) for person in people]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_both_contacts)
def both_contacts(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = open_ticket(plan, slots)
    return raiser_of(plan, ticket)["email"], resolver_of(plan, ticket)["email"]


def draw_policy_manager(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    person = resolver(ctx, found[0])
    manager = ctx.above(person)
    return _draw(ctx, found, *_policy(ctx, found), _address(manager))


@GROUP.goal(SUBAREA, steps=4, draw=draw_policy_manager)
def policy_manager(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    return *_look_up_policy(plan, ticket), manager_of(plan, resolver_of(plan, ticket))["email"]


def draw_raiser_chain(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    person = raiser(ctx, row)
    second = ctx.above(person, 2)
    answer = [entities.person(person), _address(second)]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=4, draw=draw_raiser_chain)
def raiser_chain(slots: Slots, plan: PlanRecorder) -> Values:
    person = raiser_of(plan, open_ticket(plan, slots))
    return person["name"], manager_of(plan, manager_of(plan, person))["email"]


def draw_both_managers(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    above = _managers(ctx, row)
    answer = [_address(manager) for manager in above]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=5, draw=draw_both_managers)
def both_managers(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = open_ticket(plan, slots)
    above = manager_of(plan, raiser_of(plan, ticket))
    return above["email"], manager_of(plan, resolver_of(plan, ticket))["email"]


def draw_policy_both(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    people = _both(ctx, found[0])
    manager = ctx.above(people[0])
    if manager is people[1]:
        raise UnfitError
    return _draw(ctx, found, *_policy(ctx, found), _address(people[1]), _address(manager))


@GROUP.goal(SUBAREA, steps=5, draw=draw_policy_both)
def policy_both(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    about = _look_up_policy(plan, ticket)
    helper = resolver_of(plan, ticket)
    return *about, helper["email"], manager_of(plan, raiser_of(plan, ticket))["email"]


def draw_policy_managers(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    above = _managers(ctx, found[0])
    return _draw(ctx, found, *_policy(ctx, found), *(_address(manager) for manager in above))


@GROUP.goal(SUBAREA, steps=6, draw=draw_policy_managers)
def policy_managers(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    about = _look_up_policy(plan, ticket)
    above = manager_of(plan, raiser_of(plan, ticket))
    return *about, above["email"], manager_of(plan, resolver_of(plan, ticket))["email"]


def _draw(ctx: DrawContext, found: Named, *answer: Entity) -> Draw:
    row, slots = found
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


def _number(found: Named) -> Entity:
    return entities.ident("ticket_id", found[0]["ticket_id"])


def _address(person: Record) -> Entity:
    return entities.ident("email", person["email"])


def _policy(ctx: DrawContext, found: Named) -> tuple[Entity, Entity]:
    clause = told(ctx, found[0], "clause")
    return entities.text(clause), entities.text(title_of_clause(ctx, clause))


def _look_up_policy(plan: PlanRecorder, ticket: Row) -> tuple[str, str]:
    clause = plan.fact(ticket, "clause")
    return clause, policy_of(plan, clause)["title"]


def _both(ctx: DrawContext, ticket: Record) -> tuple[Record, Record]:
    """Raiser and resolver, two different people and neither the persona."""
    first, second = raiser(ctx, ticket), resolver(ctx, ticket)
    if first is second:
        raise UnfitError
    return first, second


def _managers(ctx: DrawContext, ticket: Record) -> tuple[Record, Record]:
    """Their managers, two different people."""
    first, second = (ctx.above(person) for person in _both(ctx, ticket))
    if first is second:
        raise UnfitError
    return first, second
