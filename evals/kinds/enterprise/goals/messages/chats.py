"""Chats and mails, in every area: finding them, and what they tell."""

from __future__ import annotations

from datetime import date

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    latest,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.chat_facts import (
    PEOPLE,
    asks,
    entity,
    my_chats,
    partner,
    people,
    pick_chat_fact,
)
from worksmith.evals.kinds.enterprise.goals.paths import MANAGER, Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row


def find_chat(plan: PlanRecorder, slots: Slots) -> Row:
    """The chat of which the text names partner, topic and project."""
    chats = plan.read(
        "conversations",
        f"I look for my chat with {slots['name']} about the {slots['topic']} of {slots['project']}.",
        with_employee=slots["name"],
        query=f"{slots['topic']} {slots['project']}",
        limit=3,
    )
    for row in chats:
        if slots["topic"] in row["text"] and slots["project"] in row["text"]:
            return plan.pick(row)
    raise UnfitError("no such chat")


def draw_named(ctx: DrawContext) -> tuple[Record, Record, dict[str, str], Record]:
    """A chat, its partner, slots, and a third person whom the chat names."""
    row, other, latent, name = pick_chat_fact(ctx, *PEOPLE)
    named = ctx.facts.where("employees", name=latent.facts[name])
    if not named:
        raise UnfitError
    person = need(ctx.facts.colleague(named[0]["emp_id"]))
    if person["emp_id"] in (ctx.me["emp_id"], other["emp_id"]):
        raise UnfitError
    return row, other, {**_about(other, latent.facts), "ask": people()[name], "fact": name}, person


def manager_of(plan: PlanRecorder, person: Row) -> Row:
    """Look up an employee's manager."""
    return MANAGER.lookup(plan, person)


def look_up_named(plan: PlanRecorder, slots: Slots) -> Row:
    """The directory's entry of somebody whom a chat names."""
    name = plan.fact(find_chat(plan, slots), slots["fact"])
    return plan.one("employees", f"The chat names {name}, so I look that person up.", name=name)


def _about(other: Record, told: dict[str, str]) -> dict[str, str]:
    return {"name": other["name"], "topic": told["topic"], "project": told["project"]}


def _last_chat(chats: list[Record], other: Record) -> date:
    ids = other["emp_id"]
    return max(day(row["date"]) for row in chats if ids in (row["sender_emp_id"], row["recipient_emp_id"]))


def _draw_chat(ctx: DrawContext) -> Found:
    row, other, latent, _ = pick_chat_fact(ctx)
    return Found(row, _about(other, latent.facts))


def _draw_person(ctx: DrawContext) -> Found:
    row, _, slots, named = draw_named(ctx)
    return Found(named, slots, [("conversations", row)])


def _latest_post(ctx: DrawContext, person: Record) -> Record:
    return latest(ctx.facts.where("posts", emp_id=person["emp_id"]), "date")


def _find_latest_post(plan: PlanRecorder, person: Row) -> Row:
    why = f"Now the latest post of {person['name']}."
    return plan.pick(plan.read("posts", why, author=person["emp_id"], limit=1).first)


LATEST_POST = Link(_latest_post, _find_latest_post)
"""From an employee to what they published last."""

GROUP = GoalGroup(
    "messages/chats.toml",
    draws=(_draw_chat, _draw_person),
    finds=(find_chat, look_up_named),
    links={"post": LATEST_POST},
)


def draw_chat_fact(ctx: DrawContext) -> Draw:
    row, other, latent, name = pick_chat_fact(ctx)
    return ctx.draw(
        {**_about(other, latent.facts), "ask": asks()[name], "fact": name},
        answer=[entity(ctx.facts, name, latent.facts[name])],
        about=[("conversations", row)],
    )


@GROUP.goal(draw_chat_fact)
def chat_fact(slots: Slots, plan: PlanRecorder) -> Values:
    return (plan.fact(find_chat(plan, slots), slots["fact"]),)


def draw_chat_by_id(ctx: DrawContext) -> Draw:
    row, _, latent, name = pick_chat_fact(ctx, "due", "effective", "needed", "start", "budget", *PEOPLE)
    return ctx.draw(
        {"conversation_id": row["conversation_id"], "ask": asks()[name], "fact": name},
        answer=[entity(ctx.facts, name, latent.facts[name])],
        about=[("conversations", row)],
    )


@GROUP.goal(draw_chat_by_id)
def chat_by_id(slots: Slots, plan: PlanRecorder) -> Values:
    chat = plan.one(
        "conversations", "I open the chat with that id.", conversation_id=slots["conversation_id"]
    )
    return (plan.fact(chat, slots["fact"]),)


def draw_title_and_chat(ctx: DrawContext) -> Draw:
    found, other = attempt(draw_chat_by_id, ctx), ctx.colleague()
    draw = need(found)
    row = need(ctx.facts.at(draw.about[0]))
    return ctx.draw(
        {**draw.slots, "name": other["name"]},
        answer=[entities.text(other["title"]), *draw.answer],
        about=[("conversations", row)],
    )


@GROUP.goal(draw_title_and_chat)
def title_and_chat(slots: Slots, plan: PlanRecorder) -> Values:
    person = plan.one("employees", f"First, {slots['name']}'s job title.", name=slots["name"])
    return person["title"], *chat_by_id(slots, plan)


def draw_more_recent(ctx: DrawContext) -> Draw:
    chats = my_chats(ctx)
    pair = ctx.pick_two("conversations", chats)
    first, second = [partner(ctx, row) for row in pair]
    if first is second:
        raise UnfitError
    last = [_last_chat(chats, other) for other in (first, second)]
    if abs((last[0] - last[1]).days) < 2:
        raise UnfitError
    later = first if last[0] > last[1] else second
    return ctx.draw(
        {"name": first["name"], "other": second["name"]},
        answer=[entities.person(later), entities.date(max(last).isoformat())],
        about=[("conversations", row) for row in pair],
    )


@GROUP.goal(draw_more_recent)
def more_recent(slots: Slots, plan: PlanRecorder) -> Values:
    found = []
    for name in (slots["name"], slots["other"]):
        rows = plan.read(
            "conversations", f"I look for my latest chat with {name}.", with_employee=name, limit=1
        )
        plan.weigh(plan.pick(rows.first))
        found.append((rows[0]["date"], name))
    last, name = max(found)
    return name, last
