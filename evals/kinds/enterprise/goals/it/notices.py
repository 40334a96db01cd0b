"""IT: solving, reopening and passing on tickets, and telling those whom it concerns."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.desk import SUBAREA, UPDATE
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    Named,
    draw_named,
    find_ticket,
    helper,
    manager_but_me,
    raiser,
    raiser_of,
    resolver,
    resolver_of,
)
from evals.kinds.enterprise.goals.messages.changes import chat, mail, my_manager
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action

GROUP = GoalGroup("IT", "it/notices.toml", departments=HELPDESK)

_DEEDS = (
    "The device was replaced by a new one.",
    "The settings were reset to the standard.",
    "The account was created anew.",
    "The software was installed again.",
    "The cable was exchanged.",
    "The rights were granted once more.",
    "The supplier has delivered an update.",
    "The service was restarted on all servers.",
)
_SOLVED, _URGENT, _MOVED = "Ticket resolved", "Ticket with high priority", "Ticket passed on"


def draw_resolve(ctx: DrawContext) -> Draw:
    found = _open(ctx)
    return _draw(ctx, found, [_resolution(found[0]["ticket_id"], found[1]["deed"])])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_resolve)
def resolve(slots: Slots, plan: PlanRecorder) -> Values:
    _resolve(plan, slots)
    return ()


def draw_resolve_tell(ctx: DrawContext) -> Draw:
    found = _open(ctx)
    row, slots = found
    key = row["ticket_id"]
    actions = [_resolution(key, slots["deed"]), chat(row["raised_by_emp_id"], _done(key))]
    return _draw(ctx, found, actions, key)


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_resolve_tell)
def resolve_tell(slots: Slots, plan: PlanRecorder) -> Values:
    _resolve_and_tell(plan, slots)
    return ()


def draw_reopen_tell(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="resolved")
    person = resolver(ctx, found[0])
    key = found[0]["ticket_id"]
    actions = [action(UPDATE, ticket_id=key, status="open"), chat(person["emp_id"], _again(key))]
    return _draw(ctx, found, actions, key)


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_reopen_tell)
def reopen_tell(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    key = ticket["ticket_id"]
    plan.carry_out("I open it again.", action(UPDATE, ticket_id=key, status="open"))
    return plan.carry_out("I tell who had solved it.", chat(ticket["emp_id"], _again(key)))


def draw_reassign_tell(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx, status="open")
    person = helper(ctx, row["emp_id"])
    key = row["ticket_id"]
    actions = [_assign(key, person["name"]), chat(person["name"], _yours(key))]
    return _draw(ctx, (row, {**slots, "other": person["name"]}), actions, key)


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_reassign_tell)
def reassign_tell(slots: Slots, plan: PlanRecorder) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    plan.carry_out(f"I assign it to {slots['other']}.", _assign(key, slots["other"]))
    return plan.carry_out("I say so in the chat.", chat(slots["other"], _yours(key)))


def draw_urgent(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="open")
    manager = manager_but_me(ctx, raiser(ctx, found[0]))
    if found[0]["priority"] == "high":
        raise UnfitError
    key = found[0]["ticket_id"]
    actions = [_hurry(key), mail(manager["emp_id"], _URGENT, _urgent(key))]
    return _draw(ctx, found, actions, key)


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_urgent)
def urgent_tell_above(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    key = ticket["ticket_id"]
    plan.carry_out("I raise its priority.", _hurry(key))
    manager = raiser_of(plan, ticket)["reports_to"]
    return plan.carry_out("I tell the raiser's manager.", mail(manager, _URGENT, _urgent(key)))


def draw_move_up(ctx: DrawContext) -> Draw:
    found = draw_named(ctx, status="open")
    manager = manager_but_me(ctx, need(ctx.facts.person(found[0]["emp_id"])))
    if manager["department"] not in HELPDESK:
        raise UnfitError
    key = found[0]["ticket_id"]
    actions = [_assign(key, manager["emp_id"]), chat(manager["emp_id"], _yours(key))]
    return _draw(ctx, found, actions, key)


@GROUP.goal(SUBAREA, steps=4, type="crud", draw=draw_move_up)
def move_up(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = find_ticket(plan, slots)
    key, manager = ticket["ticket_id"], resolver_of(plan, ticket)["reports_to"]
    plan.carry_out("I assign it to the manager.", _assign(key, manager))
    return plan.carry_out("I say so in the chat.", chat(manager, _yours(key)))


def draw_resolve_both(ctx: DrawContext) -> Draw:
    found = _open(ctx)
    manager = manager_but_me(ctx, raiser(ctx, found[0]))
    return _draw_resolved(ctx, found, manager)


@GROUP.goal(SUBAREA, steps=5, type="crud", draw=draw_resolve_both)
def resolve_tell_both(slots: Slots, plan: PlanRecorder) -> Values:
    _resolve_and_tell_both(plan, slots)
    return ()


def draw_resolve_mine(ctx: DrawContext) -> Draw:
    found, manager = _open(ctx), ctx.above(ctx.me)
    if manager["emp_id"] == found[0]["raised_by_emp_id"]:
        raise UnfitError
    return _draw_resolved(ctx, found, manager)


@GROUP.goal(SUBAREA, steps=5, type="crud", draw=draw_resolve_mine)
def resolve_tell_mine(slots: Slots, plan: PlanRecorder) -> Values:
    key = _resolve_and_tell(plan, slots)["ticket_id"]
    return plan.carry_out("I tell my manager.", mail(my_manager(plan), _SOLVED, _done(key)))


def draw_resolve_three(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_resolve_both, ctx), helper(ctx)
    draw = need(found)
    row = need(ctx.facts.at(draw.about[0]))
    if other["emp_id"] in {act.arguments.get("recipient") for act in draw.actions}:
        raise UnfitError
    actions = [*draw.actions, chat(other["name"], _done(row["ticket_id"]))]
    return _draw(ctx, (row, {**draw.slots, "other": other["name"]}), actions, row["ticket_id"])


@GROUP.goal(SUBAREA, steps=6, type="crud", draw=draw_resolve_three)
def resolve_tell_three(slots: Slots, plan: PlanRecorder) -> Values:
    key = _resolve_and_tell_both(plan, slots)
    return plan.carry_out(f"I tell {slots['other']}.", chat(slots["other"], _done(key)))


def _open(ctx: DrawContext) -> Named:
    """An open ticket of somebody who is still here, with what was done about it."""
    row, slots = draw_named(ctx, status="open")
    raiser(ctx, row)
    return row, {**slots, "deed": ctx.rng.choice(_DEEDS)}


def _draw(ctx: DrawContext, found: Named, actions: list[Action], *mentions: str) -> Draw:
    row, slots = found
    said = [slots["deed"]] if "deed" in slots else []
    return ctx.draw(slots, actions=actions, mentions=[*said, *mentions], about=[("tickets", row)])


def _draw_resolved(ctx: DrawContext, found: Named, manager: Record) -> Draw:
    row, slots = found
    key = row["ticket_id"]
    messages = [chat(row["raised_by_emp_id"], _done(key)), mail(manager["emp_id"], _SOLVED, _done(key))]
    return _draw(ctx, found, [_resolution(key, slots["deed"]), *messages], key)


def _resolve(plan: PlanRecorder, slots: Slots) -> Row:
    ticket = find_ticket(plan, slots)
    plan.carry_out("I resolve it.", _resolution(ticket["ticket_id"], slots["deed"]))
    return ticket


def _resolve_and_tell(plan: PlanRecorder, slots: Slots) -> Row:
    ticket = _resolve(plan, slots)
    plan.carry_out("I tell who raised it.", chat(ticket["raised_by_emp_id"], _done(ticket["ticket_id"])))
    return ticket


def _resolve_and_tell_both(plan: PlanRecorder, slots: Slots) -> str:
    ticket = _resolve_and_tell(plan, slots)
    key = ticket["ticket_id"]
    manager = raiser_of(plan, ticket)["reports_to"]
    plan.carry_out("I tell the raiser's manager.", mail(manager, _SOLVED, _done(key)))
    return key


def _resolution(key: str, deed: str) -> Action:
    return action(UPDATE, ticket_id=key, status="resolved", resolution=deed)


def _assign(key: str, person: str) -> Action:
    return action(UPDATE, ticket_id=key, resolver=person)


def _hurry(key: str) -> Action:
    return action(UPDATE, ticket_id=key, priority="high")


def _done(key: str) -> str:
    return f"Ticket {key} is resolved."


def _again(key: str) -> str:
    return f"I have opened ticket {key} again."


def _yours(key: str) -> str:
    return f"I have assigned ticket {key} to you."


def _urgent(key: str) -> str:
    return f"Ticket {key} has high priority now."
