"""IT: solving, reopening and passing on tickets, and telling those whom it concerns."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.it import (
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
from evals.kinds.enterprise.goals.it_desk import SUBAREA, UPDATE
from evals.kinds.enterprise.goals.message_changes import chat, mail, my_manager, tell
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Row, Script
from evals.tasks.task import Action

BOOK = Book("IT", "it_notices.toml", departments=HELPDESK)

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


def draw_resolve(scene: Scene) -> Draw | None:
    """An open ticket and what was done."""
    found = _open(scene)
    if found is None:
        return None
    return _draw(scene, found, [_resolution(found[0]["ticket_id"], found[1]["deed"])])


@BOOK.goal(SUBAREA, steps=2, type="crud", draw=draw_resolve)
def resolve(slots: Slots, call: Script) -> Values:
    """Find, resolve."""
    _resolve(call, slots)
    return ()


def draw_resolve_tell(scene: Scene) -> Draw | None:
    """And who raised it."""
    found = _open(scene)
    if found is None:
        return None
    row, slots = found
    key = row["ticket_id"]
    actions = [_resolution(key, slots["deed"]), chat(row["raised_by_emp_id"], _done(key))]
    return _draw(scene, found, actions, key)


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_resolve_tell)
def resolve_tell(slots: Slots, call: Script) -> Values:
    """Find, resolve, tell the raiser."""
    _resolve_and_tell(call, slots)
    return ()


def draw_reopen_tell(scene: Scene) -> Draw | None:
    """A solved ticket and who solved it."""
    found = draw_named(scene, status="resolved")
    person = resolver(scene, found[0]) if found else None
    if found is None or person is None:
        return None
    key = found[0]["ticket_id"]
    actions = [action(UPDATE, ticket_id=key, status="open"), chat(person["emp_id"], _again(key))]
    return _draw(scene, found, actions, key)


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_reopen_tell)
def reopen_tell(slots: Slots, call: Script) -> Values:
    """Find, reopen, tell the resolver."""
    ticket = find_ticket(call, slots)
    key = ticket["ticket_id"]
    tell(call, "I open it again.", action(UPDATE, ticket_id=key, status="open"))
    tell(call, "I tell who had solved it.", chat(ticket["emp_id"], _again(key)))
    return ()


def draw_reassign_tell(scene: Scene) -> Draw | None:
    """An open ticket and somebody else of the helpdesk."""
    found = draw_named(scene, status="open")
    person = helper(scene, found[0]["emp_id"]) if found else None
    if found is None or person is None:
        return None
    row, slots = found
    key = row["ticket_id"]
    actions = [_assign(key, person["name"]), chat(person["name"], _yours(key))]
    return _draw(scene, (row, {**slots, "other": person["name"]}), actions, key)


@BOOK.goal(SUBAREA, steps=3, type="crud", draw=draw_reassign_tell)
def reassign_tell(slots: Slots, call: Script) -> Values:
    """Find, assign, tell."""
    key = find_ticket(call, slots)["ticket_id"]
    tell(call, f"I assign it to {slots['other']}.", _assign(key, slots["other"]))
    tell(call, "I say so in the chat.", chat(slots["other"], _yours(key)))
    return ()


def draw_urgent(scene: Scene) -> Draw | None:
    """An open ticket that is not urgent yet, and the manager of who raised it."""
    found = draw_named(scene, status="open")
    manager = manager_but_me(scene, raiser(scene, found[0])) if found else None
    if found is None or manager is None or found[0]["priority"] == "high":
        return None
    key = found[0]["ticket_id"]
    actions = [_hurry(key), mail(manager["emp_id"], _URGENT, _urgent(key))]
    return _draw(scene, found, actions, key)


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_urgent)
def urgent_tell_above(slots: Slots, call: Script) -> Values:
    """Find, change, look up the raiser, tell the manager."""
    ticket = find_ticket(call, slots)
    key = ticket["ticket_id"]
    tell(call, "I raise its priority.", _hurry(key))
    manager = raiser_of(call, ticket)["reports_to"]
    tell(call, "I tell the raiser's manager.", mail(manager, _URGENT, _urgent(key)))
    return ()


def draw_move_up(scene: Scene) -> Draw | None:
    """An open ticket and the manager of who has it."""
    found = draw_named(scene, status="open")
    manager = manager_but_me(scene, scene.facts.person(found[0]["emp_id"])) if found else None
    if found is None or manager is None or manager["department"] not in HELPDESK:
        return None
    key = found[0]["ticket_id"]
    actions = [_assign(key, manager["emp_id"]), chat(manager["emp_id"], _yours(key))]
    return _draw(scene, found, actions, key)


@BOOK.goal(SUBAREA, steps=4, type="crud", draw=draw_move_up)
def move_up(slots: Slots, call: Script) -> Values:
    """Find, look up who has it, assign to the manager, tell."""
    ticket = find_ticket(call, slots)
    key, manager = ticket["ticket_id"], resolver_of(call, ticket)["reports_to"]
    tell(call, "I assign it to the manager.", _assign(key, manager))
    tell(call, "I say so in the chat.", chat(manager, _yours(key)))
    return ()


def draw_resolve_both(scene: Scene) -> Draw | None:
    """Raiser and raiser's manager."""
    found = _open(scene)
    manager = manager_but_me(scene, raiser(scene, found[0])) if found else None
    return _draw_resolved(scene, found, manager) if found and manager else None


@BOOK.goal(SUBAREA, steps=5, type="crud", draw=draw_resolve_both)
def resolve_tell_both(slots: Slots, call: Script) -> Values:
    """Find, resolve, tell the raiser, look them up, tell the manager."""
    _resolve_and_tell_both(call, slots)
    return ()


def draw_resolve_mine(scene: Scene) -> Draw | None:
    """Raiser and the persona's own manager."""
    found, manager = _open(scene), scene.facts.manager(scene.me["emp_id"])
    if found is None or manager is None or manager["emp_id"] == found[0]["raised_by_emp_id"]:
        return None
    return _draw_resolved(scene, found, manager)


@BOOK.goal(SUBAREA, steps=5, type="crud", draw=draw_resolve_mine)
def resolve_tell_mine(slots: Slots, call: Script) -> Values:
    """Find, resolve, tell the raiser, look up oneself, tell one's manager."""
    key = _resolve_and_tell(call, slots)["ticket_id"]
    tell(call, "I tell my manager.", mail(my_manager(call), _SOLVED, _done(key)))
    return ()


def draw_resolve_three(scene: Scene) -> Draw | None:
    """Raiser, raiser's manager, and some colleague of the helpdesk."""
    draw, other = draw_resolve_both(scene), helper(scene)
    row = scene.facts.at(draw.about[0]) if draw else None
    if draw is None or row is None or other is None:
        return None
    if other["emp_id"] in {act.arguments.get("recipient") for act in draw.actions}:
        return None
    actions = [*draw.actions, chat(other["name"], _done(row["ticket_id"]))]
    return _draw(scene, (row, {**draw.slots, "other": other["name"]}), actions, row["ticket_id"])


@BOOK.goal(SUBAREA, steps=6, type="crud", draw=draw_resolve_three)
def resolve_tell_three(slots: Slots, call: Script) -> Values:
    """As to both, then tell the colleague."""
    key = _resolve_and_tell_both(call, slots)
    tell(call, f"I tell {slots['other']}.", chat(slots["other"], _done(key)))
    return ()


# --- parts ----------------------------------------------------------------------------------------------


def _open(scene: Scene) -> Named | None:
    """An open ticket of somebody who is still here, with what was done about it."""
    found = draw_named(scene, status="open")
    if found is None or raiser(scene, found[0]) is None:
        return None
    return found[0], {**found[1], "deed": scene.rng.choice(_DEEDS)}


def _draw(scene: Scene, found: Named, actions: list[Action], *mentions: str) -> Draw | None:
    row, slots = found
    said = [slots["deed"]] if "deed" in slots else []
    return scene.draw(slots, actions=actions, mentions=[*said, *mentions], about=[("tickets", row)])


def _draw_resolved(scene: Scene, found: Named, manager: Record) -> Draw | None:
    row, slots = found
    key = row["ticket_id"]
    messages = [chat(row["raised_by_emp_id"], _done(key)), mail(manager["emp_id"], _SOLVED, _done(key))]
    return _draw(scene, found, [_resolution(key, slots["deed"]), *messages], key)


def _resolve(call: Script, slots: Slots) -> Row:
    ticket = find_ticket(call, slots)
    tell(call, "I resolve it.", _resolution(ticket["ticket_id"], slots["deed"]))
    return ticket


def _resolve_and_tell(call: Script, slots: Slots) -> Row:
    ticket = _resolve(call, slots)
    tell(call, "I tell who raised it.", chat(ticket["raised_by_emp_id"], _done(ticket["ticket_id"])))
    return ticket


def _resolve_and_tell_both(call: Script, slots: Slots) -> str:
    ticket = _resolve_and_tell(call, slots)
    key = ticket["ticket_id"]
    manager = raiser_of(call, ticket)["reports_to"]
    tell(call, "I tell the raiser's manager.", mail(manager, _SOLVED, _done(key)))
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
