"""IT: raising, changing, assigning and deleting tickets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    draw_numbered,
    draw_ticket,
    find_ticket,
    helper,
    resolver,
    resolver_of,
    ticket_fact,
    waits,
)
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.record_changes import Change
from worksmith.evals.kinds.enterprise.goals.telling import mail, telling_my_manager
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("it/desk.toml")
PRIORITIES = ("high", "medium", "low")

UPDATE = "it_service_management.update_issue"
DELETE = "it_service_management.delete_issue"


def draw_raise(ctx: DrawContext) -> Draw:
    slots = _trouble(ctx)
    return ctx.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@GROUP.goal(draw_raise)
def raise_ticket(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I raise the ticket.", _new(slots))


def _trouble(ctx: DrawContext) -> dict[str, str]:
    """What somebody may want to raise: its text, category and priority."""
    row = ctx.rng.choice(ctx.facts.all("tickets"))
    return {
        "text": ticket_fact(ctx, row, "symptom"),
        "category": row["category"],
        "priority": ctx.rng.choice(PRIORITIES),
    }


def _new(slots: Slots) -> Action:
    arguments = {"issue": slots["text"], "category": slots["category"], "priority": slots["priority"]}
    if "name" in slots:
        arguments["resolver"] = slots["name"]
    return action("it_service_management.create_issue", **arguments)


def _changed(slots: Slots) -> str:
    return f"Ticket {slots['ticket']} has {slots['priority']} priority now."


def _raised(slots: Slots) -> str:
    return f'I have raised a ticket with IT: "{slots["text"]}"'


_NAMED = Start("tickets", draw_named, find_ticket)
_RESOLVER = HERE.to(Link(resolver, resolver_of))
GROUP.add(
    state=Question(_NAMED, HERE.text("status"), HERE.text("priority")),
    state_desk=Question(_NAMED, HERE.text("status"), _RESOLVER.text("title")),
)


def draw_raise_for(ctx: DrawContext) -> Draw:
    person = helper(ctx)
    slots = {**_trouble(ctx), "name": person["name"]}
    return ctx.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@GROUP.goal(draw_raise_for)
def raise_ticket_for(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out(f"I raise the ticket and assign it to {slots['name']}.", _new(slots))


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


def _update(column: str, slot: str) -> Callable[[Mapping[str, str], Slots], Action]:
    return lambda ticket, slots: action(UPDATE, ticket_id=ticket["ticket_id"], **{column: slots[slot]})


_OWN_PRIORITY = Change(
    "tickets", _own_priority, None, "I change the priority of that ticket.",
    lambda _, slots: action(UPDATE, ticket_id=slots["ticket"], priority=slots["priority"]),
)  # fmt: skip
GROUP.add(waits, own_priority=_OWN_PRIORITY)

GROUP.add(
    priority_of=Change(
        "tickets", _priority_of, find_ticket, "I change its priority.", _update("priority", "priority")
    ),
    reassign=Change(
        "tickets", _reassigned, find_ticket, "I assign it to {other}.", _update("resolver", "other")
    ),
    regroup=Change(
        "tickets", _regrouped, find_ticket, "I move it to the other category.", _update("category", "other")
    ),
    delete_ticket=Change(
        "tickets",
        draw_numbered,
        None,
        "I delete that ticket.",
        lambda _, slots: action(DELETE, ticket_id=slots["ticket"]),
    ),
    delete_of=Change(
        "tickets",
        draw_named,
        find_ticket,
        "I delete it.",
        lambda ticket, _: action(DELETE, ticket_id=ticket["ticket_id"]),
    ),
    raise_ticket_mail=telling_my_manager(
        Logic(draw_raise, raise_ticket),
        lambda to, slots: mail(to, "IT ticket raised", _raised(slots)),
        why="I tell my manager about it.",
    ),
)


GROUP.add(
    waits,
    own_priority_mail=telling_my_manager(
        _OWN_PRIORITY,
        lambda to, slots: mail(to, "Priority changed", _changed(slots)),
        mentions=("ticket", "priority"),
        look_up_first=True,
    ),
)
