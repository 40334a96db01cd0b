"""Chats and mails, in every area: answering, changing and deleting them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Slots, Values
from evals.kinds.enterprise.goals.message_changes import MAIL, chat, my_manager, tell
from evals.kinds.enterprise.goals.messages import books, everywhere, find_chat
from evals.kinds.enterprise.goals.news import draw_news, sentence
from evals.kinds.enterprise.goals.scene import Draw, Scene, action
from evals.kinds.enterprise.goals.script import Script
from evals.kinds.enterprise.goals.told_in import chat_told, partner
from evals.tasks.task import Action

BOOKS = books("message_changes.toml")


def _latest_from(scene: Scene) -> tuple[Record, Record] | None:
    """The newest mail of somebody to the persona."""
    row = scene.pick("mail", scene.facts.where("mail", recipient_emp_id=scene.me["emp_id"]))
    sender = partner(scene, row) if row is not None else None
    if sender is None:
        return None
    mails = scene.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=scene.me["emp_id"])
    latest = max(mails, key=lambda mail: mail["date"])
    unique = [mail["date"] for mail in mails].count(latest["date"]) == 1
    return (latest, sender) if unique else None


def draw_reply_latest(scene: Scene) -> Draw | None:
    """Somebody who has written to the persona."""
    found = _latest_from(scene)
    if found is None:
        return None
    latest, sender = found
    news, mentions = draw_news(scene.facts, scene.rng)
    return scene.draw(
        {"name": sender["name"], "news": news},
        actions=[_reply(sender["emp_id"], latest["thread_id"], news)],
        mentions=mentions,
        about=[("mail", latest)],
    )


@everywhere(BOOKS, steps=2, type="crud", draw=draw_reply_latest)
def reply_latest(slots: Slots, call: Script) -> Values:
    """Find the mail, answer in its thread."""
    mails = call.read(
        "mail", f"I look for the newest mail from {slots['name']}.", sender=slots["name"], recipient="me",
        limit="1",
    )  # fmt: skip
    latest = call.pick(mails.first)
    reply = _reply(latest["sender_emp_id"], latest["thread_id"], slots["news"])
    tell(call, "I answer in the same thread.", reply)
    return ()


def draw_reply_and_tell(scene: Scene) -> Draw | None:
    """The same, and the persona's manager."""
    draw, manager = draw_reply_latest(scene), scene.facts.manager(scene.me["emp_id"])
    row = scene.facts.at(draw.about[0]) if draw is not None else None
    if draw is None or row is None or manager is None or manager["name"] == draw.slots["name"]:
        return None
    message = chat(manager["emp_id"], sentence(draw.slots["news"]))
    return scene.draw(
        draw.slots, actions=[*draw.actions, message], mentions=draw.mentions, about=[("mail", row)]
    )


@everywhere(BOOKS, steps=4, type="crud", draw=draw_reply_and_tell)
def reply_and_tell(slots: Slots, call: Script) -> Values:
    """Answer, then tell the manager."""
    reply_latest(slots, call)
    tell(call, "I tell my manager the same.", chat(my_manager(call), sentence(slots["news"])))
    return ()


def draw_delete_chat(scene: Scene) -> Draw | None:
    """A chat of the persona's."""
    found = chat_told(scene)
    if found is None:
        return None
    row, other, latent, _ = found
    return scene.draw(
        {"name": other["name"], "topic": latent.facts["topic"], "project": latent.facts["project"]},
        actions=[action("conversations.delete", conversation_id=row["conversation_id"])],
        about=[("conversations", row)],
    )


@everywhere(BOOKS, steps=2, type="crud", draw=draw_delete_chat)
def delete_chat(slots: Slots, call: Script) -> Values:
    """Find it, delete it."""
    row = find_chat(call, slots)
    call.write("conversations.delete", "I delete that chat.", conversation_id=row["conversation_id"])
    return ()


def draw_delete_mail(scene: Scene) -> Draw | None:
    """A mail that the persona got, by sender, subject and day."""
    row = scene.pick("mail", scene.facts.where("mail", recipient_emp_id=scene.me["emp_id"]))
    sender = partner(scene, row) if row is not None else None
    if row is None or sender is None:
        return None
    return scene.draw(
        {"name": sender["name"], "subject": row["subject"], "day": row["date"][:10]},
        actions=[action("enterprise_mail_system.delete", email_id=row["email_id"])],
        about=[("mail", row)],
    )


@everywhere(BOOKS, steps=2, type="crud", draw=draw_delete_mail)
def delete_mail(slots: Slots, call: Script) -> Values:
    """Find it, delete it."""
    row = call.one(
        "mail", "I look for that mail.", sender=slots["name"], recipient="me", subject=slots["subject"],
        date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    call.write("enterprise_mail_system.delete", "I delete that mail.", email_id=row["email_id"])
    return ()


def draw_rewrite_chat(scene: Scene) -> Draw | None:
    """A chat that the persona sent."""
    row = scene.pick("conversations", scene.facts.where("conversations", sender_emp_id=scene.me["emp_id"]))
    if row is None:
        return None
    news, mentions = draw_news(scene.facts, scene.rng)
    key = row["conversation_id"]
    return scene.draw(
        {"conversation_id": key, "news": news},
        actions=[action("conversations.update", conversation_id=key, text=sentence(news))],
        mentions=mentions,
        about=[("conversations", row)],
    )


@everywhere(BOOKS, steps=1, type="crud", draw=draw_rewrite_chat, denials=("not_participant",))
def rewrite_chat(slots: Slots, call: Script) -> Values:
    """Change its text."""
    call.write(
        "conversations.update", "I replace the text of that chat.",
        conversation_id=slots["conversation_id"], text=sentence(slots["news"]),
    )  # fmt: skip
    return ()


def _reply(recipient: str, thread_id: str, news: str) -> Action:
    return action(MAIL, recipient=recipient, thread_id=thread_id, body=sentence(news))
