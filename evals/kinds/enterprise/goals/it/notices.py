"""IT: solving, reopening and passing on tickets, and telling those whom it concerns."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    draw_named,
    find_ticket,
    helper,
    raiser,
    resolved_by_another,
    resolver,
    ticket_fact,
)
from worksmith.evals.kinds.enterprise.goals.notifications import chat
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.enterprise.generate.business.problems import problems


def _open(ctx: DrawContext) -> Found:
    """An open ticket of somebody who is still here, with what was done about it."""
    row, slots, _ = draw_named(ctx, status="open")
    raiser(ctx, row)
    symptom = ticket_fact(ctx, row, "symptom")
    problem = next(one for one in problems()[row["category"]] if symptom in one.symptoms)
    return Found(row, {**slots, "deed": ctx.rng.choice(problem.remedies)[1]})


def _not_urgent(ctx: DrawContext) -> Found:
    found = draw_named(ctx, status="open")
    if found.row["priority"] == "high":
        raise UnfitError
    _both(ctx, found.row)
    return found


def _open_of_both(ctx: DrawContext) -> Found:
    found = _open(ctx)
    _both(ctx, found.row)
    return found


def _both(ctx: DrawContext, ticket: Record) -> None:
    """Refuse a ticket whose raiser and resolver are not two colleagues who are still here."""
    if raiser(ctx, ticket)["emp_id"] == resolver(ctx, ticket)["emp_id"]:
        raise UnfitError


def _open_named(ctx: DrawContext) -> Found:
    return draw_named(ctx, status="open")


def _other_helper(ctx: DrawContext) -> Found:
    """Some colleague of the helpdesk who has nothing to do with the ticket."""
    other, ticket = helper(ctx), ctx.drawn.get("tickets", {})
    if other["emp_id"] in (ticket.get("raised_by_emp_id"), ticket.get("emp_id")):
        raise UnfitError
    return Found(ctx.me, {"other": other["name"]})


def _next_helper(ctx: DrawContext) -> Found:
    """Some colleague of the helpdesk who has not got the ticket yet."""
    return Found(ctx.me, {"other": helper(ctx, ctx.drawn["tickets"]["emp_id"])["name"]})


GROUP = GoalGroup(
    "it/notices.toml",
    draws=(
        _open, _not_urgent, _open_of_both, resolved_by_another, _open_named, _other_helper, _next_helper,
    ),
    finds=(find_ticket,),
)  # fmt: skip
UPDATE = "it_service_management.update_issue"


def _resolved(ticket: Mapping[str, str], slots: Slots) -> Action:
    return action(UPDATE, ticket_id=ticket["ticket_id"], status="resolved", resolution=slots["deed"])


def _done(ticket: Mapping[str, str]) -> str:
    return f"Ticket {ticket['ticket_id']} is resolved."


def _assign(key: str, person: str) -> Action:
    return action(UPDATE, ticket_id=key, resolver=person)


def _yours(key: str) -> str:
    return f"I have assigned ticket {key} to you."


def draw_resolve_two(ctx: DrawContext) -> Draw:
    found, second = attempt(_open, ctx), _open(ctx)
    first = need(found)
    if first.row["raised_by_emp_id"] == second.row["raised_by_emp_id"]:
        raise UnfitError
    slots = {**first.slots, **{f"{name}2": value for name, value in second.slots.items()}}
    actions, about = [], []
    for row, own in ((first.row, first.slots), (second.row, second.slots)):
        actions += [_resolved(row, own), chat(row["raised_by_emp_id"], _done(row))]
        about.append(("tickets", row))
    mentions = [slots["deed"], slots["deed2"], *(row["ticket_id"] for _, row in about)]
    return ctx.draw(slots, actions=actions, mentions=mentions, about=about)


@GROUP.goal(draw_resolve_two)
def resolve_two(slots: Slots, plan: PlanRecorder) -> Values:
    for suffix in ("", "2"):
        own = {name: slots[f"{name}{suffix}"] for name in ("name", "category", "deed")}
        ticket = find_ticket(plan, own)
        plan.carry_out("I resolve it.", _resolved(ticket, own))
        plan.carry_out(f"I tell {own['name']}.", chat(ticket["raised_by_emp_id"], _done(ticket)))
    return ()


def _draw_free(ctx: DrawContext, *, told: bool) -> Draw:
    row, slots, _ = draw_named(ctx, status="open")
    people = [helper(ctx, row["emp_id"])["name"] for _ in range(2)]
    counts = [len(_open_tickets(ctx, name)) for name in people]
    if counts[0] == counts[1]:
        raise UnfitError
    free, key = people[counts.index(min(counts))], row["ticket_id"]
    found = Found(row, {**slots, "other": people[0], "other2": people[1]})
    if told:
        return _draw_passed_on(ctx, found, free)
    return ctx.draw(found.slots, actions=[_assign(key, free)], about=[("tickets", row)])


def _open_tickets(ctx: DrawContext, name: str) -> list[Record]:
    (person,) = ctx.facts.where("employees", name=name)
    return ctx.facts.where("tickets", emp_id=person["emp_id"], status="open")


def _assign_free(slots: Slots, plan: PlanRecorder, *, told: bool) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    counts = {
        name: plan.every("tickets", f"What is open with {name}?", resolver=name, status="open").total
        for name in (slots["other"], slots["other2"])
    }
    free = min(counts, key=lambda name: counts[name])
    plan.carry_out("I assign it to the one with fewer.", _assign(key, free))
    return plan.carry_out("I say so in the chat.", chat(free, _yours(key))) if told else ()


GROUP.add(
    assign_free=Logic.given(_draw_free, _assign_free, told=False),
    assign_free_tell=Logic.given(_draw_free, _assign_free, told=True),
)


def _draw_passed_on(ctx: DrawContext, found: Found, person: str) -> Draw:
    key = found.row["ticket_id"]
    actions = [_assign(key, person), chat(person, _yours(key))]
    return ctx.draw(found.slots, actions=actions, mentions=[key], about=[("tickets", found.row)])
