"""IT: raising, changing, assigning and deleting tickets."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.it import (
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
from evals.kinds.enterprise.goals.message_changes import mail, my_manager, tell
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.tasks.task import Action

BOOK = Book("IT", "it_desk.toml", departments=HELPDESK)
SUBAREA = "ticket DB"
PRIORITIES = ("high", "medium", "low")
SENIORS = ("10", "12", "14")
"""The levels of the helpdesk that may delete anybody's ticket."""

UPDATE = "it_service_management.update_issue"
DELETE = "it_service_management.delete_issue"
_SUBJECT = "IT ticket raised"


# --- looking up -----------------------------------------------------------------------------------------


def draw_state(scene: Scene) -> Draw | None:
    """A ticket by raiser and category."""
    found = draw_named(scene)
    if found is None:
        return None
    row, slots = found
    answer = [entities.text(row["status"]), entities.text(row["priority"])]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_state)
def state(slots: Slots, call: Script) -> Values:
    """Find it."""
    row = find_ticket(call, slots)
    return row["status"], row["priority"]


def draw_state_desk(scene: Scene) -> Draw | None:
    """With the job title of who works on it."""
    found = draw_named(scene)
    person = resolver(scene, found[0]) if found else None
    if found is None or person is None:
        return None
    row, slots = found
    answer = [entities.text(row["status"]), entities.text(person["title"])]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, draw=draw_state_desk)
def state_desk(slots: Slots, call: Script) -> Values:
    """Find it, look up who has it."""
    row = find_ticket(call, slots)
    return row["status"], resolver_of(call, row)["title"]


# --- raising --------------------------------------------------------------------------------------------


def draw_raise(scene: Scene) -> Draw | None:
    """Trouble of some category."""
    slots = _trouble(scene)
    return scene.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_raise, departments=(*OTHERS, *HELPDESK))
def raise_ticket(slots: Slots, call: Script) -> Values:
    """Raise it."""
    tell(call, "I raise the ticket.", _new(slots))
    return ()


def draw_raise_for(scene: Scene) -> Draw | None:
    """And who is to solve it."""
    person = helper(scene)
    if person is None:
        return None
    slots = {**_trouble(scene), "name": person["name"]}
    return scene.draw(slots, actions=[_new(slots)], mentions=[slots["text"]])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_raise_for, departments=(*OTHERS, *HELPDESK))
def raise_ticket_for(slots: Slots, call: Script) -> Values:
    """Raise it."""
    tell(call, f"I raise the ticket and assign it to {slots['name']}.", _new(slots))
    return ()


def draw_raise_mail(scene: Scene) -> Draw | None:
    """And the persona's manager."""
    slots, manager = _trouble(scene), scene.facts.manager(scene.me["emp_id"])
    if manager is None:
        return None
    message = mail(manager["emp_id"], _SUBJECT, _raised(slots))
    return scene.draw(slots, actions=[_new(slots), message], mentions=[slots["text"]])


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_raise_mail, departments=(*OTHERS, *HELPDESK))
def raise_ticket_mail(slots: Slots, call: Script) -> Values:
    """Raise it, look up oneself, send."""
    tell(call, "I raise the ticket.", _new(slots))
    tell(call, "I tell my manager about it.", mail(my_manager(call), _SUBJECT, _raised(slots)))
    return ()


# --- changing -------------------------------------------------------------------------------------------


def draw_priority(scene: Scene) -> Draw | None:
    """An open ticket of the persona's own."""
    mine = scene.facts.where("tickets", raised_by_emp_id=scene.me["emp_id"], status="open")
    row, priority = scene.pick("tickets", mine), scene.rng.choice(PRIORITIES)
    if row is None or row["priority"] == priority:
        return None
    key = row["ticket_id"]
    change = action(UPDATE, ticket_id=key, priority=priority)
    return scene.draw({"ticket": key, "priority": priority}, actions=[change], about=[("tickets", row)])


@BOOK.goal(
    SUBAREA, steps=1, type="crud", draw=draw_priority, who=waits, departments=OTHERS, denials=("not_owner",)
)
def own_priority(slots: Slots, call: Script) -> Values:
    """Change it."""
    change = action(UPDATE, ticket_id=slots["ticket"], priority=slots["priority"])
    tell(call, "I change the priority of that ticket.", change)
    return ()


def draw_own_priority_mail(scene: Scene) -> Draw | None:
    """And the persona's manager."""
    draw, manager = draw_priority(scene), scene.facts.manager(scene.me["emp_id"])
    row = scene.facts.at(draw.about[0]) if draw else None
    if draw is None or row is None or manager is None:
        return None
    message = mail(manager["emp_id"], "Priority changed", _changed(draw.slots))
    mentions = [draw.slots["ticket"], draw.slots["priority"]]
    actions = [*draw.actions, message]
    return scene.draw(draw.slots, actions=actions, mentions=mentions, about=[("tickets", row)])


@BOOK.goal(
    SUBAREA, steps=3, type="crud", draw=draw_own_priority_mail, who=waits, departments=OTHERS,
    denials=("not_owner",),
)  # fmt: skip
def own_priority_mail(slots: Slots, call: Script) -> Values:
    """Look up oneself, change it, send."""
    manager = my_manager(call)
    own_priority(slots, call)
    tell(call, "I tell my manager.", mail(manager, "Priority changed", _changed(slots)))
    return ()


def draw_priority_of(scene: Scene) -> Draw | None:
    """A ticket by raiser and category."""
    found, priority = draw_named(scene, status="open"), scene.rng.choice(PRIORITIES)
    if found is None or found[0]["priority"] == priority:
        return None
    row, slots = found
    change = action(UPDATE, ticket_id=row["ticket_id"], priority=priority)
    return scene.draw({**slots, "priority": priority}, actions=[change], about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_priority_of)
def priority_of(slots: Slots, call: Script) -> Values:
    """Find it, change it."""
    key = find_ticket(call, slots)["ticket_id"]
    tell(call, "I change its priority.", action(UPDATE, ticket_id=key, priority=slots["priority"]))
    return ()


def draw_reassign(scene: Scene) -> Draw | None:
    """An open ticket and somebody else of the helpdesk."""
    found = draw_named(scene, status="open")
    person = helper(scene, found[0]["emp_id"]) if found else None
    if found is None or person is None:
        return None
    row, slots = found
    change = action(UPDATE, ticket_id=row["ticket_id"], resolver=person["name"])
    return scene.draw({**slots, "other": person["name"]}, actions=[change], about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_reassign)
def reassign(slots: Slots, call: Script) -> Values:
    """Find it, assign it."""
    key = find_ticket(call, slots)["ticket_id"]
    tell(call, f"I assign it to {slots['other']}.", action(UPDATE, ticket_id=key, resolver=slots["other"]))
    return ()


def draw_regroup(scene: Scene) -> Draw | None:
    """A ticket and the category it should have."""
    found, row = draw_named(scene, status="open"), draw_ticket(scene)
    if found is None or row is None or row["category"] == found[0]["category"]:
        return None
    change = action(UPDATE, ticket_id=found[0]["ticket_id"], category=row["category"])
    slots = {**found[1], "other": row["category"]}
    return scene.draw(slots, actions=[change], about=[("tickets", found[0])])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_regroup)
def regroup(slots: Slots, call: Script) -> Values:
    """Find it, change the category."""
    key = find_ticket(call, slots)["ticket_id"]
    tell(call, "I move it to the other category.", action(UPDATE, ticket_id=key, category=slots["other"]))
    return ()


# --- deleting -------------------------------------------------------------------------------------------


def draw_delete(scene: Scene) -> Draw | None:
    """A ticket by number."""
    row = draw_ticket(scene)
    if row is None:
        return None
    deletion = action(DELETE, ticket_id=row["ticket_id"])
    return scene.draw({"ticket": row["ticket_id"]}, actions=[deletion], about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, type="crud", draw=draw_delete, levels=SENIORS, denials=("level_too_low",))
def delete_ticket(slots: Slots, call: Script) -> Values:
    """Delete it."""
    tell(call, "I delete that ticket.", action(DELETE, ticket_id=slots["ticket"]))
    return ()


def draw_delete_of(scene: Scene) -> Draw | None:
    """A ticket by raiser and category."""
    found = draw_named(scene)
    if found is None:
        return None
    row, slots = found
    return scene.draw(slots, actions=[action(DELETE, ticket_id=row["ticket_id"])], about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_delete_of, levels=SENIORS, denials=("level_too_low",))
def delete_of(slots: Slots, call: Script) -> Values:
    """Find it, delete it."""
    tell(call, "I delete it.", action(DELETE, ticket_id=find_ticket(call, slots)["ticket_id"]))
    return ()


# --- parts ----------------------------------------------------------------------------------------------


def _trouble(scene: Scene) -> dict[str, str]:
    """What somebody may want to raise: its text, category and priority."""
    row = scene.rng.choice(scene.facts.all("tickets"))
    return {
        "text": told(scene, row, "symptom"),
        "category": row["category"],
        "priority": scene.rng.choice(PRIORITIES),
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
