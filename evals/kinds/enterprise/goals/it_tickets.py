"""IT: what single tickets say."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.it import (
    HELPDESK,
    OTHERS,
    days_taken,
    draw_named,
    draw_ticket,
    find_ticket,
    has_raised,
    open_ticket,
    told,
)
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Script, UnfitError

BOOK = Book("IT", "it_tickets.toml", departments=HELPDESK)
SUBAREA = "ticket analysis"


def draw_ticket_of(scene: Scene) -> Draw | None:
    """A ticket by raiser and category."""
    found = draw_named(scene)
    if found is None:
        return None
    row, slots = found
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.date(row["assigned_date"])]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_ticket_of)
def ticket_of(slots: Slots, call: Script) -> Values:
    """Find it."""
    row = find_ticket(call, slots)
    return row["ticket_id"], row["assigned_date"]


def draw_ticket_about(scene: Scene) -> Draw | None:
    """A ticket by category, topic and project."""
    row = draw_ticket(scene)
    if row is None:
        return None
    slots = {
        "category": row["category"],
        "topic": told(scene, row, "topic"),
        "project": told(scene, row, "project"),
    }
    same = [
        other
        for other in scene.facts.where("tickets", category=row["category"])
        if (told(scene, other, "topic"), told(scene, other, "project")) == (slots["topic"], slots["project"])
    ]
    if len(same) > 1:
        return None
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.text(row["priority"])]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_ticket_about)
def ticket_about(slots: Slots, call: Script) -> Values:
    """Search among those of the category."""
    rows = call.read(
        "tickets", "I search the tickets of that category.",
        category=slots["category"], query=f"{slots['topic']} {slots['project']}", limit="3",
    )  # fmt: skip
    for row in rows:
        if slots["topic"] in row["issue"] and slots["project"] in row["issue"]:
            return call.pick(row)["ticket_id"], row["priority"]
    raise UnfitError("no such ticket")


def draw_outcome(scene: Scene) -> Draw | None:
    """A solved ticket by number."""
    row = draw_ticket(scene, status="resolved")
    if row is None:
        return None
    answer = [entities.text(told(scene, row, "clause")), entities.date(row["closed_date"])]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_outcome, denials=("wrong_department",))
def outcome(slots: Slots, call: Script) -> Values:
    """Read it."""
    row = open_ticket(call, slots)
    return call.fact(row, "clause"), row["closed_date"]


def draw_own(scene: Scene) -> Draw | None:
    """A ticket that the persona raised."""
    row = scene.pick("tickets", scene.facts.where("tickets", raised_by_emp_id=scene.me["emp_id"]))
    helper = scene.facts.person(row["emp_id"]) if row else None
    if row is None or helper is None:
        return None
    answer = [entities.person(helper), entities.date(row["assigned_date"])]
    return scene.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_own, who=has_raised, departments=OTHERS, denials=("not_participant",))
def own(slots: Slots, call: Script) -> Values:
    """Read it."""
    row = open_ticket(call, slots)
    return row["resolver_name"], row["assigned_date"]


def draw_duration(scene: Scene) -> Draw | None:
    """A solved ticket by raiser and category."""
    found = draw_named(scene, status="resolved")
    if found is None:
        return None
    row, slots = found
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.number(days_taken(row))]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_duration)
def duration(slots: Slots, call: Script) -> Values:
    """Find it, count the days."""
    row = find_ticket(call, slots)
    return row["ticket_id"], str(days_taken(row))
