"""Chats and mails, in every area: finding them, and what they tell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import DrawFunction, GoalGroup, GoalType, Slots, Solve, Values
from evals.kinds.enterprise.goals.messages.chat_facts import (
    PEOPLE,
    asks,
    chat_told,
    entity,
    my_chats,
    partner,
    people,
)
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, UnfitError

SUBAREA = "chats/mails"
DEPARTMENTS = {"Sales": ("SA",), "SWE": ("EN",), "IT": ("IN",), "HR": ("HR",), "BizOps": ("BU", "MA")}


def groups(file: str) -> list[GoalGroup]:
    """A group for each area with the same wording."""
    return [GoalGroup(area, file, departments) for area, departments in DEPARTMENTS.items()]


GROUPS = groups("messages/chats.toml")


def everywhere(
    among: list[GoalGroup],
    *,
    steps: int,
    draw: DrawFunction,
    type: GoalType = "search",
    empty: bool = False,
    denials: tuple[str, ...] = (),
) -> Callable[[Solve], Solve]:
    """Make the decorated function a goal of every area."""

    def add(solve: Solve) -> Solve:
        for book in among:
            book.goal(SUBAREA, steps=steps, draw=draw, type=type, empty=empty, denials=denials)(solve)
        return solve

    return add


def find_chat(plan: PlanRecorder, slots: Slots) -> Row:
    """The chat of which the text names partner, topic and project."""
    chats = plan.read(
        "conversations",
        f"I look for my chat with {slots['name']} about the {slots['topic']} of {slots['project']}.",
        with_employee=slots["name"],
        query=f"{slots['topic']} {slots['project']}",
        limit="3",
    )
    for row in chats:
        if slots["topic"] in row["text"] and slots["project"] in row["text"]:
            return plan.pick(row)
    raise UnfitError("no such chat")


# --- what a chat tells ----------------------------------------------------------------------------------


def draw_chat_fact(ctx: DrawContext) -> Draw | None:
    """A chat and one of its facts."""
    found = chat_told(ctx)
    if found is None:
        return None
    row, other, latent, name = found
    return ctx.draw(
        {**_about(other, latent.facts), "ask": asks()[name], "fact": name},
        answer=[entity(ctx.facts, name, latent.facts[name])],
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=1, draw=draw_chat_fact)
def chat_fact(slots: Slots, plan: PlanRecorder) -> Values:
    """Read the chat."""
    return (plan.fact(find_chat(plan, slots), slots["fact"]),)


def draw_chat_by_id(ctx: DrawContext) -> Draw | None:
    """A chat by its id and one of its facts."""
    found = chat_told(ctx, "due", "effective", "needed", "start", "budget", *PEOPLE)
    if found is None:
        return None
    row, _, latent, name = found
    return ctx.draw(
        {"conversation_id": row["conversation_id"], "ask": asks()[name], "fact": name},
        answer=[entity(ctx.facts, name, latent.facts[name])],
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=1, draw=draw_chat_by_id, denials=("not_participant",))
def chat_by_id(slots: Slots, plan: PlanRecorder) -> Values:
    """Read that chat."""
    chat = plan.one(
        "conversations", "I open the chat with that id.", conversation_id=slots["conversation_id"]
    )
    return (plan.fact(chat, slots["fact"]),)


def draw_manager_and_chat(ctx: DrawContext) -> Draw | None:
    """A colleague's manager, and a fact of a chat by its id."""
    draw, other = draw_chat_by_id(ctx), ctx.colleague()
    manager = ctx.facts.manager(other["emp_id"]) if other else None
    row = ctx.facts.at(draw.about[0]) if draw else None
    if draw is None or row is None or other is None or manager is None:
        return None
    return ctx.draw(
        {**draw.slots, "name": other["name"]},
        answer=[entities.person(manager), *draw.answer],
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=2, draw=draw_manager_and_chat, denials=("not_participant",))
def manager_and_chat(slots: Slots, plan: PlanRecorder) -> Values:
    """The directory, then that chat."""
    person = plan.one("employees", f"First, {slots['name']}'s manager.", name=slots["name"])
    return (person["manager_name"], *chat_by_id(slots, plan))


def draw_chat_id(ctx: DrawContext) -> Draw | None:
    """A chat, of which the id and the day are asked."""
    found = chat_told(ctx)
    if found is None:
        return None
    row, other, latent, _ = found
    return ctx.draw(
        _about(other, latent.facts),
        answer=[entities.ident("conversation_id", row["conversation_id"]), entities.date(row["date"])],
        about=[("conversations", row)],
    )


@everywhere(GROUPS, steps=1, draw=draw_chat_id)
def chat_id(slots: Slots, plan: PlanRecorder) -> Values:
    """Find the chat."""
    chat = find_chat(plan, slots)
    return chat["conversation_id"], chat["date"]


# --- people named in chats ------------------------------------------------------------------------------


def draw_named(ctx: DrawContext) -> tuple[Record, Record, dict[str, str], Record] | None:
    """A chat, its partner, slots, and somebody whom the chat names and who is neither of the two."""
    found = chat_told(ctx, *PEOPLE)
    if found is None:
        return None
    row, other, latent, name = found
    named = ctx.facts.where("employees", name=latent.facts[name])
    person = ctx.facts.colleague(named[0]["emp_id"]) if named else None
    if person is None or person["emp_id"] in (ctx.me["emp_id"], other["emp_id"]):
        return None
    return row, other, {**_about(other, latent.facts), "ask": people()[name], "fact": name}, person


def draw_named_contact(ctx: DrawContext) -> Draw | None:
    """The mail address and title of somebody whom a chat names."""
    found = draw_named(ctx)
    if found is None:
        return None
    row, _, slots, person = found
    answer = [entities.ident("email", person["email"]), entities.text(person["title"])]
    return ctx.draw(slots, answer=answer, about=[("conversations", row)])


@everywhere(GROUPS, steps=2, draw=draw_named_contact)
def named_contact(slots: Slots, plan: PlanRecorder) -> Values:
    """Read the chat, then the directory."""
    person = look_up_named(plan, slots)
    return person["email"], person["title"]


def draw_named_manager(ctx: DrawContext) -> Draw | None:
    """The manager of somebody whom a chat names."""
    found = draw_named(ctx)
    manager = ctx.facts.manager(found[3]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    row, _, slots, _ = found
    answer = [entities.person(manager), entities.ident("email", manager["email"])]
    return ctx.draw(slots, answer=answer, about=[("conversations", row)])


@everywhere(GROUPS, steps=3, draw=draw_named_manager)
def named_manager(slots: Slots, plan: PlanRecorder) -> Values:
    """Read the chat, then two entries of the directory."""
    manager = manager_of(plan, look_up_named(plan, slots))
    return manager["name"], manager["email"]


def draw_named_manager_manager(ctx: DrawContext) -> Draw | None:
    """Two levels up from somebody whom a chat names."""
    found = draw_named(ctx)
    first = ctx.facts.manager(found[3]["emp_id"]) if found else None
    second = ctx.facts.manager(first["emp_id"]) if first else None
    if found is None or second is None:
        return None
    row, _, slots, _ = found
    answer = [entities.person(second), entities.text(second["title"])]
    return ctx.draw(slots, answer=answer, about=[("conversations", row)])


@everywhere(GROUPS, steps=4, draw=draw_named_manager_manager)
def named_manager_manager(slots: Slots, plan: PlanRecorder) -> Values:
    """Read the chat, then three entries of the directory."""
    second = manager_of(plan, manager_of(plan, look_up_named(plan, slots)))
    return second["name"], second["title"]


# --- mails ----------------------------------------------------------------------------------------------


def draw_more_recent(ctx: DrawContext) -> Draw | None:
    """Two people with whom the persona has chatted."""
    chats = my_chats(ctx)
    pair = ctx.pick_two("conversations", chats)
    if pair is None:
        return None
    others = [partner(ctx, row) for row in pair]
    first, second = others
    if first is None or second is None or first is second:
        return None
    last = [_last_chat(chats, other) for other in (first, second)]
    if abs((last[0] - last[1]).days) < 2:
        return None
    later = first if last[0] > last[1] else second
    return ctx.draw(
        {"name": first["name"], "other": second["name"]},
        answer=[entities.person(later), entities.date(max(last).isoformat())],
        about=[("conversations", row) for row in pair],
    )


@everywhere(GROUPS, steps=2, draw=draw_more_recent)
def more_recent(slots: Slots, plan: PlanRecorder) -> Values:
    """The newest chat with each; the later of the two."""
    found = []
    for name in (slots["name"], slots["other"]):
        rows = plan.read(
            "conversations", f"I look for my latest chat with {name}.", with_employee=name, limit="1"
        )
        plan.weigh(plan.pick(rows.first))
        found.append((rows[0]["date"], name))
    last, name = max(found)
    return name, last


# --- parts ----------------------------------------------------------------------------------------------


def manager_of(plan: PlanRecorder, person: Row) -> Row:
    """The directory's entry of whom somebody reports to."""
    return plan.one(
        "employees", f"Now the person whom {person['name']} reports to.", emp_id=person["reports_to"]
    )


def look_up_named(plan: PlanRecorder, slots: Slots) -> Row:
    """The directory's entry of somebody whom a chat names."""
    name = plan.fact(find_chat(plan, slots), slots["fact"])
    return plan.one("employees", f"The chat names {name}, so I look that person up.", name=name)


def _about(other: Record, told: dict[str, str]) -> dict[str, str]:
    return {"name": other["name"], "topic": told["topic"], "project": told["project"]}


def _last_chat(chats: list[Record], other: Record) -> date:
    ids = other["emp_id"]
    return max(day(row["date"]) for row in chats if ids in (row["sender_emp_id"], row["recipient_emp_id"]))
