"""IT: raising, changing, assigning and deleting tickets."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.it.ticket_lookup import (
    HELPDESK,
    OTHERS,
    draw_named,
    draw_ticket,
    find_ticket,
    helper,
    resolver,
    resolver_of,
    told,
    waits,
)
from evals.kinds.enterprise.goals.messages.changes import mail, my_manager
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action

GROUP = GoalGroup("IT", "it/desk.toml", departments=HELPDESK)
SUBAREA = "ticket DB"
PRIORITIES = ("high", "medium", "low")
SENIORS = ("10", "12", "14")
"""The levels of the helpdesk that may delete anybody's ticket."""

UPDATE = "it_service_management.update_issue"
DELETE = "it_service_management.delete_issue"
_SUBJECT = "IT ticket raised"


def draw_state(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx)
    answer = [entities.text(row["status"]), entities.text(row["priority"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_state)
def state(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_ticket(plan, slots)
    return row["status"], row["priority"]


def draw_state_desk(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx)
    person = resolver(ctx, row)
    answer = [entities.text(row["status"]), entities.text(person["title"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_state_desk)
def state_desk(slots: Slots, plan: PlanRecorder) -> Values:
    row = find_ticket(plan, slots)
    return row["status"], resolver_of(plan, row)["title"]


def draw_raise(ctx: DrawContext) -> Draw:
    slots = _trouble(ctx)
    return ctx.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_raise, departments=(*OTHERS, *HELPDESK))
def raise_ticket(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I raise the ticket.", _new(slots))


def draw_raise_for(ctx: DrawContext) -> Draw:
    person = helper(ctx)
    slots = {**_trouble(ctx), "name": person["name"]}
    return ctx.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_raise_for, departments=(*OTHERS, *HELPDESK))
def raise_ticket_for(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out(f"I raise the ticket and assign it to {slots['name']}.", _new(slots))


def draw_raise_mail(ctx: DrawContext) -> Draw:
    slots, manager = _trouble(ctx), ctx.above(ctx.me)
    message = mail(manager["emp_id"], _SUBJECT, _raised(slots))
    return ctx.draw(slots, actions=[_new(slots), message], mentions=[slots["text"]])


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_raise_mail, departments=(*OTHERS, *HELPDESK))
def raise_ticket_mail(slots: Slots, plan: PlanRecorder) -> Values:
    plan.carry_out("I raise the ticket.", _new(slots))
    return plan.carry_out("I tell my manager about it.", mail(my_manager(plan), _SUBJECT, _raised(slots)))


def draw_priority(ctx: DrawContext) -> Draw:
    mine = ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"], status="open")
    found, priority = attempt(ctx.pick, "tickets", mine), ctx.rng.choice(PRIORITIES)
    row = need(found)
    if row["priority"] == priority:
        raise UnfitError
    key = row["ticket_id"]
    change = action(UPDATE, ticket_id=key, priority=priority)
    return ctx.draw({"ticket": key, "priority": priority}, actions=[change], about=[("tickets", row)])


@GROUP.goal(
    SUBAREA, steps=1, type="crud", draw=draw_priority, who=waits, departments=OTHERS, denials=("not_owner",)
)
def own_priority(slots: Slots, plan: PlanRecorder) -> Values:
    change = action(UPDATE, ticket_id=slots["ticket"], priority=slots["priority"])
    return plan.carry_out("I change the priority of that ticket.", change)


def draw_own_priority_mail(ctx: DrawContext) -> Draw:
    draw, manager = draw_priority(ctx), ctx.above(ctx.me)
    row = need(ctx.facts.at(draw.about[0]))
    message = mail(manager["emp_id"], "Priority changed", _changed(draw.slots))
    mentions = [draw.slots["ticket"], draw.slots["priority"]]
    actions = [*draw.actions, message]
    return ctx.draw(draw.slots, actions=actions, mentions=mentions, about=[("tickets", row)])


@GROUP.goal(
    SUBAREA, steps=3, type="crud", draw=draw_own_priority_mail, who=waits, departments=OTHERS,
    denials=("not_owner",),
)  # fmt: skip
def own_priority_mail(slots: Slots, plan: PlanRecorder) -> Values:
    manager = my_manager(plan)
    own_priority(slots, plan)
    return plan.carry_out("I tell my manager.", mail(manager, "Priority changed", _changed(slots)))


def draw_priority_of(ctx: DrawContext) -> Draw:
    found, priority = attempt(draw_named, ctx, status="open"), ctx.rng.choice(PRIORITIES)
    row, slots = need(found)
    if row["priority"] == priority:
        raise UnfitError
    change = action(UPDATE, ticket_id=row["ticket_id"], priority=priority)
    return ctx.draw({**slots, "priority": priority}, actions=[change], about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_priority_of)
def priority_of(slots: Slots, plan: PlanRecorder) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    return plan.carry_out("I change its priority.", action(UPDATE, ticket_id=key, priority=slots["priority"]))


def draw_reassign(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx, status="open")
    person = helper(ctx, row["emp_id"])
    change = action(UPDATE, ticket_id=row["ticket_id"], resolver=person["name"])
    return ctx.draw({**slots, "other": person["name"]}, actions=[change], about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_reassign)
def reassign(slots: Slots, plan: PlanRecorder) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    return plan.carry_out(
        f"I assign it to {slots['other']}.", action(UPDATE, ticket_id=key, resolver=slots["other"])
    )


def draw_regroup(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_named, ctx, status="open"), draw_ticket(ctx)["category"]
    row, slots = need(found)
    if row["category"] == other:
        raise UnfitError
    change = action(UPDATE, ticket_id=row["ticket_id"], category=other)
    return ctx.draw({**slots, "other": other}, actions=[change], about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_regroup)
def regroup(slots: Slots, plan: PlanRecorder) -> Values:
    key = find_ticket(plan, slots)["ticket_id"]
    return plan.carry_out(
        "I move it to the other category.", action(UPDATE, ticket_id=key, category=slots["other"])
    )


def draw_delete(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    deletion = action(DELETE, ticket_id=row["ticket_id"])
    return ctx.draw({"ticket": row["ticket_id"]}, actions=[deletion], about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=1, type="crud", draw=draw_delete, levels=SENIORS, denials=("level_too_low",))
def delete_ticket(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I delete that ticket.", action(DELETE, ticket_id=slots["ticket"]))


def draw_delete_of(ctx: DrawContext) -> Draw:
    row, slots = draw_named(ctx)
    return ctx.draw(slots, actions=[action(DELETE, ticket_id=row["ticket_id"])], about=[("tickets", row)])


@GROUP.goal(SUBAREA, steps=2, type="crud", draw=draw_delete_of, levels=SENIORS, denials=("level_too_low",))
def delete_of(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I delete it.", action(DELETE, ticket_id=find_ticket(plan, slots)["ticket_id"]))


def _trouble(ctx: DrawContext) -> dict[str, str]:
    """What somebody may want to raise: its text, category and priority."""
    row = ctx.rng.choice(ctx.facts.all("tickets"))
    return {
        "text": told(ctx, row, "symptom"),
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
