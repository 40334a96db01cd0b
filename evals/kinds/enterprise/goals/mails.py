"""Mails, in every area: finding them, their threads and who wrote them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Slots, Values
from evals.kinds.enterprise.goals.messages import (
    books,
    draw_named,
    everywhere,
    find_chat,
    look_up_named,
    manager_of,
)
from evals.kinds.enterprise.goals.sales import latest
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Script
from evals.kinds.enterprise.goals.told_in import my_mails, partner

BOOKS = books("messages.toml")


def draw_mail_from_named(scene: Scene) -> Draw | None:
    """Whether somebody whom a chat names has written to the persona."""
    found = draw_named(scene)
    return _mail_from(scene, found, found[3]) if found else None


@everywhere(BOOKS, steps=2, draw=draw_mail_from_named, empty=True)
def mail_from_named(slots: Slots, call: Script) -> Values:
    """Read the chat, then the mailbox."""
    name = call.fact(find_chat(call, slots), slots["fact"])
    return _newest_from(call, name)


def draw_mail_from_manager(scene: Scene) -> Draw | None:
    """Whether that person's manager has."""
    found = draw_named(scene)
    manager = scene.facts.manager(found[3]["emp_id"]) if found else None
    if found is None or manager is None or manager["emp_id"] == scene.me["emp_id"]:
        return None
    return _mail_from(scene, found, manager)


@everywhere(BOOKS, steps=3, draw=draw_mail_from_manager, empty=True)
def mail_from_manager(slots: Slots, call: Script) -> Values:
    """Read the chat, the directory, then the mailbox."""
    return _newest_from(call, look_up_named(call, slots)["reports_to"])


def draw_latest_mail(scene: Scene) -> Draw | None:
    """Somebody who has written to the persona more than once."""
    row = scene.pick("mail", scene.facts.where("mail", recipient_emp_id=scene.me["emp_id"]))
    sender = partner(scene, row) if row is not None else None
    if sender is None:
        return None
    mails = scene.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=scene.me["emp_id"])
    latest = max(mails, key=lambda mail: mail["date"])
    if len(mails) < 2 or [mail["date"][:10] for mail in mails].count(latest["date"][:10]) > 1:
        return None
    answer = [entities.text(latest["subject"]), entities.date(latest["date"])]
    return scene.draw({"name": sender["name"]}, answer=answer, about=[("mail", latest)])


@everywhere(BOOKS, steps=1, draw=draw_latest_mail)
def latest_mail(slots: Slots, call: Script) -> Values:
    """The newest comes first."""
    mails = call.read(
        "mail", f"I look for the newest mail from {slots['name']}.", sender=slots["name"], recipient="me",
        limit="1",
    )  # fmt: skip
    mail = call.pick(mails.first)
    return mail["subject"], mail["date"][:10]


def draw_mail_on_subject(scene: Scene) -> Draw | None:
    """A mail by sender and subject; or a subject on which that sender has not written."""
    mails = scene.facts.where("mail", recipient_emp_id=scene.me["emp_id"])
    row = scene.pick("mail", mails)
    sender = partner(scene, row) if row is not None else None
    if row is None or sender is None:
        return None
    subject = _plain(scene.rng.choice(scene.facts.all("mail"))["subject"] if scene.empty else row["subject"])
    found = [
        mail
        for mail in scene.facts.where("mail", sender_emp_id=sender["emp_id"])
        if mail["recipient_emp_id"] == scene.me["emp_id"] and subject.lower() in mail["subject"].lower()
    ]
    slots = {"name": sender["name"], "subject": subject}
    if not found:
        return scene.draw(slots, nothing=True)
    if len(found) > 1:
        return None
    answer = [entities.ident("email_id", row["email_id"]), entities.date(row["date"])]
    return scene.draw(slots, answer=answer, about=[("mail", row)])


@everywhere(BOOKS, steps=1, draw=draw_mail_on_subject, empty=True)
def mail_on_subject(slots: Slots, call: Script) -> Values:
    """Look for sender and subject."""
    mails = call.read(
        "mail", f"I look for mails from {slots['name']} on that subject.",
        sender=slots["name"], recipient="me", subject=slots["subject"],
    )  # fmt: skip
    if not mails:
        return call.none(mails)
    return call.pick(mails.first)["email_id"], mails[0]["date"][:10]


def draw_thread_size(scene: Scene) -> Draw | None:
    """A mail of a longer thread, known by sender and day."""
    row = scene.pick("mail", my_mails(scene))
    other = partner(scene, row) if row is not None else None
    if row is None or other is None:
        return None
    same_day = [
        mail
        for mail in my_mails(scene)
        if mail["date"][:10] == row["date"][:10]
        and other["emp_id"] in (mail["sender_emp_id"], mail["recipient_emp_id"])
    ]
    me = scene.me["emp_id"]
    thread = [
        mail
        for mail in scene.facts.where("mail", thread_id=row["thread_id"])
        if me in (mail["sender_emp_id"], mail["recipient_emp_id"])
    ]
    if len(same_day) > 1 or len(thread) < 2:
        return None
    last = max(thread, key=lambda mail: mail["date"])
    answer = [entities.number(len(thread)), entities.date(last["date"])]
    return scene.draw({"name": other["name"], "day": row["date"][:10]}, answer=answer, about=[("mail", row)])


@everywhere(BOOKS, steps=2, draw=draw_thread_size)
def thread_size(slots: Slots, call: Script) -> Values:
    """Find the mail, then its thread."""
    mail = call.one(
        "mail", f"I look for the mail between {slots['name']} and me of that day.",
        with_employee=slots["name"], date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    thread = call.every("mail", "Now all of its thread.", thread_id=mail["thread_id"])
    return str(thread.total), max(row["date"] for row in thread)[:10]


def draw_mail_sender_manager(scene: Scene) -> Draw | None:
    """Whom to write to above the sender of a mail, known by subject and day."""
    row = scene.pick("mail", scene.facts.where("mail", recipient_emp_id=scene.me["emp_id"]))
    sender = partner(scene, row) if row is not None else None
    manager = scene.facts.manager(sender["emp_id"]) if sender is not None else None
    if row is None or sender is None or manager is None:
        return None
    same = [mail for mail in my_mails(scene) if _plain(row["subject"]).lower() in mail["subject"].lower()]
    if len({mail["sender_emp_id"] for mail in same if mail["date"][:10] == row["date"][:10]}) > 1:
        return None
    return scene.draw(
        {"subject": _plain(row["subject"]), "day": row["date"][:10]},
        answer=[entities.person(sender), entities.ident("email", manager["email"])],
        about=[("mail", row)],
    )


@everywhere(BOOKS, steps=3, draw=draw_mail_sender_manager)
def mail_sender_manager(slots: Slots, call: Script) -> Values:
    """The mail, its sender, the sender's manager."""
    mail = call.one(
        "mail", "I look for that mail in my inbox.",
        recipient="me", subject=slots["subject"], date_from=slots["day"], date_to=slots["day"],
    )  # fmt: skip
    sender = call.one("employees", "Who is the sender?", emp_id=mail["sender_emp_id"])
    return sender["name"], manager_of(call, sender)["email"]


def _mail_from(
    scene: Scene, found: tuple[Record, Record, dict[str, str], Record], sender: Record
) -> Draw | None:
    mails = scene.facts.where("mail", sender_emp_id=sender["emp_id"], recipient_emp_id=scene.me["emp_id"])
    row, _, slots, _ = found
    if not mails:
        return scene.draw(slots, nothing=True, about=[("conversations", row)])
    last = latest(mails, "date")
    if last is None:
        return None
    answer = [entities.text(last["subject"]), entities.date(last["date"])]
    return scene.draw(slots, answer=answer, about=[("conversations", row), ("mail", last)])


def _newest_from(call: Script, sender: str) -> Values:
    mails = call.read(
        "mail", "I look for the newest mail from that person to me.", sender=sender, recipient="me",
        limit="1",
    )  # fmt: skip
    if not mails:
        return call.none(mails)
    return call.pick(mails.first)["subject"], mails.first["date"][:10]


def _plain(subject: str) -> str:
    """A subject without the marks of replies."""
    while subject.lower().startswith(("re: ", "fwd: ")):
        subject = subject.partition(": ")[2]
    return subject
