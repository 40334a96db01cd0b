"""Chats and mails, in every area: sending, answering, changing and deleting them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Slots, Values
from evals.kinds.enterprise.goals.messages import (
    books,
    draw_named,
    everywhere,
    find_chat,
    look_up_named,
)
from evals.kinds.enterprise.goals.news import draw_news, draw_subject, sentence
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.kinds.enterprise.goals.told_in import asks, chat_told
from evals.tasks.task import Action

BOOKS = books("message_changes.toml")

CHAT, MAIL = "conversations.create", "enterprise_mail_system.create"


def chat(recipient: str, text: str) -> Action:
    """Sending a chat message."""
    return action(CHAT, recipient=recipient, text=text)


def mail(recipient: str, subject: str, body: str) -> Action:
    """Sending a mail."""
    return action(MAIL, recipient=recipient, subject=subject, body=body)


def tell(call: Script, why: str, message: Action) -> None:
    """Send a message."""
    call.write(message.tool, why, **message.arguments)


# --- messages with a given text -------------------------------------------------------------------------


def draw_send_chat(scene: Scene) -> Draw | None:
    """Any colleague."""
    other = scene.colleague()
    news, mentions = draw_news(scene.facts, scene.rng)
    if other is None:
        return None
    slots = {"name": other["name"], "news": news}
    return scene.draw(slots, actions=[chat(other["name"], sentence(news))], mentions=mentions)


@everywhere(BOOKS, steps=1, type="crud", draw=draw_send_chat)
def send_chat(slots: Slots, call: Script) -> Values:
    """Send it."""
    tell(call, "I send the message in the chat.", chat(slots["name"], sentence(slots["news"])))
    return ()


def draw_send_mail(scene: Scene) -> Draw | None:
    """Any colleague and a subject."""
    other = scene.colleague()
    news, mentions = draw_news(scene.facts, scene.rng)
    if other is None:
        return None
    slots = {"name": other["name"], "news": news, "subject": draw_subject(scene.rng)}
    message = mail(other["name"], slots["subject"], sentence(news))
    return scene.draw(slots, actions=[message], mentions=mentions)


@everywhere(BOOKS, steps=1, type="crud", draw=draw_send_mail)
def send_mail(slots: Slots, call: Script) -> Values:
    """Send it."""
    tell(call, "I send the mail.", mail(slots["name"], slots["subject"], sentence(slots["news"])))
    return ()


def draw_message_manager(scene: Scene) -> Draw | None:
    """The persona's own manager."""
    manager = scene.facts.manager(scene.me["emp_id"])
    news, mentions = draw_news(scene.facts, scene.rng)
    if manager is None:
        return None
    message = chat(manager["emp_id"], sentence(news))
    return scene.draw({"news": news}, actions=[message], mentions=mentions)


@everywhere(BOOKS, steps=2, type="crud", draw=draw_message_manager)
def message_manager(slots: Slots, call: Script) -> Values:
    """Look up oneself, then send."""
    tell(call, "I send my manager the message.", chat(my_manager(call), sentence(slots["news"])))
    return ()


def draw_mail_manager_of(scene: Scene) -> Draw | None:
    """The manager of any colleague."""
    other = scene.colleague()
    manager = scene.facts.manager(other["emp_id"]) if other else None
    news, mentions = draw_news(scene.facts, scene.rng)
    if other is None or manager is None or manager["emp_id"] == scene.me["emp_id"]:
        return None
    slots = {"name": other["name"], "news": news, "subject": draw_subject(scene.rng)}
    message = mail(manager["emp_id"], slots["subject"], sentence(news))
    return scene.draw(slots, actions=[message], mentions=mentions)


@everywhere(BOOKS, steps=2, type="crud", draw=draw_mail_manager_of)
def mail_manager_of(slots: Slots, call: Script) -> Values:
    """Look up the colleague, then send."""
    other = call.one("employees", f"I look up to whom {slots['name']} reports.", name=slots["name"])
    message = mail(other["reports_to"], slots["subject"], sentence(slots["news"]))
    tell(call, "I send the manager the mail.", message)
    return ()


# --- messages with something to be found out ------------------------------------------------------------


def _told_for(scene: Scene) -> tuple[Record, Record, dict[str, str], str] | None:
    """A chat, somebody to be told, slots, and the fact to be told."""
    found, other = chat_told(scene), scene.colleague()
    if found is None or other is None or other["emp_id"] == found[1]["emp_id"]:
        return None
    row, first, latent, name = found
    told = latent.facts
    slots = {
        "name": first["name"],
        "other": other["name"],
        "topic": told["topic"],
        "project": told["project"],
        "ask": asks()[name],
        "fact": name,
    }
    return row, other, slots, told[name]


def draw_pass_on(scene: Scene) -> Draw | None:
    """A fact of a chat and somebody who wants to know it."""
    found = _told_for(scene)
    if found is None:
        return None
    row, other, slots, value = found
    message = chat(other["name"], _told(slots, value))
    return scene.draw(slots, actions=[message], mentions=[value], about=[("conversations", row)])


@everywhere(BOOKS, steps=2, type="crud", draw=draw_pass_on)
def pass_on(slots: Slots, call: Script) -> Values:
    """Read the chat, then send."""
    value = call.fact(find_chat(call, slots), slots["fact"])
    tell(call, f"I pass it on to {slots['other']}.", chat(slots["other"], _told(slots, value)))
    return ()


def draw_mail_on(scene: Scene) -> Draw | None:
    """The same by mail."""
    found = _told_for(scene)
    if found is None:
        return None
    row, other, slots, value = found
    slots["subject"] = draw_subject(scene.rng)
    message = mail(other["name"], slots["subject"], _told(slots, value))
    return scene.draw(slots, actions=[message], mentions=[value], about=[("conversations", row)])


@everywhere(BOOKS, steps=2, type="crud", draw=draw_mail_on)
def mail_on(slots: Slots, call: Script) -> Values:
    """Read the chat, then send."""
    value = call.fact(find_chat(call, slots), slots["fact"])
    message = mail(slots["other"], slots["subject"], _told(slots, value))
    tell(call, f"I mail it to {slots['other']}.", message)
    return ()


def draw_tell_named_manager(scene: Scene) -> Draw | None:
    """The manager of somebody whom a chat names."""
    found = draw_named(scene)
    manager = scene.facts.manager(found[3]["emp_id"]) if found else None
    if found is None or manager is None or manager["emp_id"] == scene.me["emp_id"]:
        return None
    news, mentions = draw_news(scene.facts, scene.rng)
    message = chat(manager["emp_id"], sentence(news))
    slots = {**found[2], "news": news}
    return scene.draw(slots, actions=[message], mentions=mentions, about=[("conversations", found[0])])


@everywhere(BOOKS, steps=3, type="crud", draw=draw_tell_named_manager)
def tell_named_manager(slots: Slots, call: Script) -> Values:
    """Read the chat, look the person up, send."""
    person = look_up_named(call, slots)
    message = chat(person["reports_to"], sentence(slots["news"]))
    tell(call, f"I write to the manager of {person['name']}.", message)
    return ()


def draw_tell_both(scene: Scene) -> Draw | None:
    """That person and the manager."""
    found = draw_named(scene)
    manager = scene.facts.manager(found[3]["emp_id"]) if found else None
    if found is None or manager is None or manager["emp_id"] == scene.me["emp_id"]:
        return None
    news, mentions = draw_news(scene.facts, scene.rng)
    messages = [chat(to, sentence(news)) for to in (found[3]["emp_id"], manager["emp_id"])]
    slots = {**found[2], "news": news}
    return scene.draw(slots, actions=messages, mentions=mentions, about=[("conversations", found[0])])


@everywhere(BOOKS, steps=4, type="crud", draw=draw_tell_both)
def tell_both(slots: Slots, call: Script) -> Values:
    """Read the chat, look the person up, send twice."""
    person = look_up_named(call, slots)
    tell(call, f"I write to {person['name']}.", chat(person["emp_id"], sentence(slots["news"])))
    tell(call, "I write to the manager as well.", chat(person["reports_to"], sentence(slots["news"])))
    return ()


def draw_tell_both_and_mine(scene: Scene) -> Draw | None:
    """That person, the manager, and the persona's own manager."""
    draw, mine = draw_tell_both(scene), scene.facts.manager(scene.me["emp_id"])
    if draw is None or mine is None:
        return None
    told = {message.arguments["recipient"] for message in draw.actions}
    if mine["emp_id"] in told:
        return None
    message = chat(mine["emp_id"], sentence(draw.slots["news"]))
    about = [("conversations", row) for row in [scene.facts.at(draw.about[0])] if row]
    return scene.draw(draw.slots, actions=[*draw.actions, message], mentions=draw.mentions, about=about)


@everywhere(BOOKS, steps=6, type="crud", draw=draw_tell_both_and_mine)
def tell_both_and_mine(slots: Slots, call: Script) -> Values:
    """As to both, then look up oneself and send a third time."""
    tell_both(slots, call)
    tell(call, "I write to my manager as well.", chat(my_manager(call), sentence(slots["news"])))
    return ()


# --- parts ----------------------------------------------------------------------------------------------


def my_manager(call: Script) -> str:
    """The id of whom the persona reports to, as the directory has it."""
    me = call.one("employees", "I look up to whom I report.", emp_id="me")
    return me["reports_to"]


def _told(slots: Slots, value: str) -> str:
    ask = slots["ask"]
    return f"The {ask} for the {slots['topic']} of {slots['project']}: {value}."
