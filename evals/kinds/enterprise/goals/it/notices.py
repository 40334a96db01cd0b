"""IT: solving, reopening and passing on tickets, and telling those whom it concerns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, action, need
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.desk import UPDATE
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    draw_named,
    find_ticket,
    helper,
    manager_but_me,
    raiser,
    raiser_of,
    resolver,
    resolver_of,
)
from evals.kinds.enterprise.goals.paths import Found
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.record_changes import Change
from evals.kinds.enterprise.goals.telling import Recipient, chat, tell_my_manager
from evals.tasks.task import Action
from tools.files.data_files import read_toml

GROUP = GoalGroup("it/notices.toml")

_DEEDS: list[str] = read_toml(__package__, "deeds.toml")["deeds"]


def _open(ctx: DrawContext) -> Found:
    """An open ticket of somebody who is still here, with what was done about it."""
    row, slots, _ = draw_named(ctx, status="open")
    raiser(ctx, row)
    return Found(row, {**slots, "deed": ctx.rng.choice(_DEEDS)})


def _not_urgent(ctx: DrawContext) -> Found:
    found = draw_named(ctx, status="open")
    if found.row["priority"] == "high":
        raise UnfitError
    return found


def _assign(key: str, person: str) -> Action:
    return action(UPDATE, ticket_id=key, resolver=person)


def _yours(key: str) -> str:
    return f"I have assigned ticket {key} to you."


_RAISER = Recipient("I tell who raised it.", raiser, lambda _, ticket: ticket["raised_by_emp_id"])
_RESOLVER = Recipient("I tell who had solved it.", resolver, lambda _, ticket: ticket["emp_id"])
_RAISERS_MANAGER = Recipient(
    "I tell the raiser's manager.",
    lambda ctx, ticket: manager_but_me(ctx, raiser(ctx, ticket)),
    lambda plan, ticket: raiser_of(plan, ticket)["reports_to"],
    by="mail",
)

_RESOLVE = Change(
    "tickets",
    _open,
    find_ticket,
    "I resolve it.",
    lambda ticket, slots: action(
        UPDATE, ticket_id=ticket["ticket_id"], status="resolved", resolution=slots["deed"]
    ),
    mentions=("deed",),
    key_text="Ticket {key} is resolved.",
    subject="Ticket resolved",
)
_REOPEN = Change(
    "tickets",
    partial(draw_named, status="resolved"),
    find_ticket,
    "I open it again.",
    lambda ticket, _: action(UPDATE, ticket_id=ticket["ticket_id"], status="open"),
    key_text="I have opened ticket {key} again.",
)
_HURRY = Change(
    "tickets",
    _not_urgent,
    find_ticket,
    "I raise its priority.",
    lambda ticket, _: action(UPDATE, ticket_id=ticket["ticket_id"], priority="high"),
    key_text="Ticket {key} has high priority now.",
    subject="Ticket with high priority",
)
_BOTH = (_RAISER, _RAISERS_MANAGER)

GROUP.add(
    resolve=_RESOLVE,
    resolve_tell=replace(_RESOLVE, tells=(_RAISER,)),
    reopen_tell=replace(_REOPEN, tells=(_RESOLVER,)),
    urgent_tell_above=replace(_HURRY, tells=(_RAISERS_MANAGER,)),
    resolve_tell_both=replace(_RESOLVE, tells=_BOTH),
    resolve_tell_mine=replace(_RESOLVE, tells=(_RAISER, tell_my_manager("mail"))),
    resolve_tell_three=replace(_RESOLVE, tells=_BOTH, colleague=("other", helper)),
)


def draw_reassign_tell(ctx: DrawContext) -> Draw:
    row, slots, _ = draw_named(ctx, status="open")
    person = helper(ctx, row["emp_id"])
    return _draw_passed_on(ctx, Found(row, {**slots, "other": person["name"]}), person["name"])


@GROUP.goal(draw_reassign_tell)
def reassign_tell(slots: Slots, plan: PlanRecorder) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    plan.carry_out(f"I assign it to {slots['other']}.", _assign(key, slots["other"]))
    return plan.carry_out("I say so in the chat.", chat(slots["other"], _yours(key)))


def draw_move_up(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="open")
    manager = manager_but_me(ctx, need(ctx.facts.person(found.row["emp_id"])))
    if manager["department"] not in HELPDESK:
        raise UnfitError
    return _draw_passed_on(ctx, found, manager["emp_id"])


@GROUP.goal(draw_move_up)
def move_up(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    key, manager = ticket["ticket_id"], resolver_of(plan, ticket)["reports_to"]
    plan.carry_out("I assign it to the manager.", _assign(key, manager))
    return plan.carry_out("I say so in the chat.", chat(manager, _yours(key)))


def _draw_passed_on(ctx: DrawContext, found: Found, person: str) -> Draw:
    key = found.row["ticket_id"]
    actions = [_assign(key, person), chat(person, _yours(key))]
    return ctx.draw(found.slots, actions=actions, mentions=[key], about=[("tickets", found.row)])
