"""E1-E9: the mailbox."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from worksmith.evals.kinds.office.intents import texts
from worksmith.evals.kinds.office.intents.actions import delete_mail, forward, reply, send
from worksmith.evals.kinds.office.intents.intent import Desk, Slots, intents
from worksmith.evals.kinds.office.records import Mail, Records


def _draw_sender(records: Records, rng: Random) -> Slots | None:
    name = rng.choice(records.employees).first_name
    return {"name": name} if records.address(name) in records.received_from else None


def _delete_latest(desk: Desk, slots: Slots) -> None:
    name = slots["name"]
    found = _latest_from(desk, name, desk.address(name))
    desk.do(delete_mail(found.id), f"The first one is the latest from {name}, so I delete it.")


def _draw_recent(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.employees).first_name, "days": str(rng.randint(2, 7))}


def _delete_recent(desk: Desk, slots: Slots) -> None:
    for mail in mails_from(desk, slots["name"], int(slots["days"])):
        desk.do(delete_mail(mail.id), "This email is from those days, so I delete it.")


def mails_from(desk: Desk, name: str, days: int) -> list[Mail]:
    """All mails of a person in the last `days` days."""
    address = desk.address(name)
    why = f"I look for what {name} has sent in the last {days} days."
    found = desk.mails(why, address, desk.today - timedelta(days=days))
    return [mail for mail in found if mail.address == address]


def _draw_message(records: Records, rng: Random) -> Slots:
    name = rng.choice(records.employees).first_name
    subject, body = texts.draw_message(rng, name)
    return {"name": name, "subject": subject, "body": body}


def _send_message(desk: Desk, slots: Slots) -> None:
    action = send(desk.address(slots["name"]), slots["subject"], slots["body"])
    desk.do(action, "I send the email with the given subject and text.")


def _draw_answer_about(records: Records, rng: Random) -> Slots:
    mail = rng.choice(records.received)
    return {
        "name": _first_name(records, mail.address),
        "subject": mail.subject,
        "body": texts.draw_text(rng, "answers"),
    }


def _reply_about(desk: Desk, slots: Slots) -> None:
    name, subject = slots["name"], slots["subject"]
    sender = desk.address(name)
    why = f"I look for the emails about '{subject}'."
    found = desk.latest_mail(why, subject, subject=subject, sender=sender)
    why = f"This one is the latest of them from {name}, so I reply to it."
    desk.do(reply(found.id, slots["body"]), why)


def _last_week(today: date) -> tuple[date, date]:
    """Monday and Sunday of the week before today's."""
    monday = today - timedelta(days=today.weekday() + 7)
    return monday, monday + timedelta(days=6)


def _draw_last_week(records: Records, rng: Random) -> Slots | None:
    monday, sunday = _last_week(records.today)
    mails = [mail for mail in records.received if monday <= mail.sent.date() <= sunday]
    if not mails:
        return None
    mail = rng.choice(mails)
    name = _first_name(records, mail.address)
    return {"name": name, "subject": mail.subject, "recipient": _somebody_else(records, rng, name)}


def _forward_last_week(desk: Desk, slots: Slots) -> None:
    name, subject = slots["name"], slots["subject"]
    sender, recipient = desk.address(name), desk.address(slots["recipient"])
    why = f"I look for last week's emails about '{subject}'."
    for mail in desk.mails(why, subject, *_last_week(desk.today)):
        if (mail.subject, mail.address) == (subject, sender):
            why = f"This one is from {name}, so I forward it to {slots['recipient']}."
            desk.do(forward(mail.id, recipient), why)


def _draw_forward_about(records: Records, rng: Random) -> Slots:
    mail = rng.choice(records.received)
    sender = _first_name(records, mail.address)
    return {"subject": mail.subject, "recipient": _somebody_else(records, rng, sender)}


def _draw_forward_about_to_two(records: Records, rng: Random) -> Slots:
    one, two = rng.sample(records.employees, 2)
    subject = rng.choice(records.received).subject
    return {"subject": subject, "recipient_1": one.first_name, "recipient_2": two.first_name}


def _forward_about(desk: Desk, slots: Slots) -> None:
    names = [value for slot, value in slots.items() if slot.startswith("recipient")]
    addresses = {name: desk.address(name) for name in names}
    subject = slots["subject"]
    found = desk.latest_mail(f"I look for the emails about '{subject}'.", subject, subject=subject)
    for name, address in addresses.items():
        desk.do(forward(found.id, address), f"I forward the latest of them to {name}.")


def _draw_forward_from(records: Records, rng: Random) -> Slots | None:
    sender = _draw_sender(records, rng)
    if sender is None:
        return None
    return {"sender": sender["name"], "recipient": _somebody_else(records, rng, sender["name"])}


def _forward_latest(desk: Desk, slots: Slots) -> None:
    address, recipient = desk.address(slots["sender"]), desk.address(slots["recipient"])
    found = _latest_from(desk, slots["sender"], address)
    desk.do(forward(found.id, recipient), "The first email is the latest, so I forward it.")


def _draw_answer(records: Records, rng: Random) -> Slots | None:
    sender = _draw_sender(records, rng)
    return sender and {"sender": sender["name"], "body": texts.draw_text(rng, "thanks")}


def _reply_latest(desk: Desk, slots: Slots) -> None:
    found = _latest_from(desk, slots["sender"], desk.address(slots["sender"]))
    desk.do(reply(found.id, slots["body"]), "The first one is the latest, so I reply to it.")


def _latest_from(desk: Desk, name: str, address: str) -> Mail:
    why = f"I look for the emails from {name}, the latest first."
    return desk.latest_mail(why, address, sender=address)


def _first_name(records: Records, address: str) -> str:
    return next(e.first_name for e in records.employees if e.address == address)


def _somebody_else(records: Records, rng: Random, name: str) -> str:
    return rng.choice([e.first_name for e in records.employees if e.first_name != name])


INTENTS = intents(
    "email/intents.toml",
    {
        "E1": (_draw_sender, _delete_latest),
        "E2": (_draw_recent, _delete_recent),
        "E3": (_draw_message, _send_message),
        "E4": (_draw_answer_about, _reply_about),
        "E5": (_draw_last_week, _forward_last_week),
        "E6": (_draw_forward_about, _forward_about),
        "E7": (_draw_forward_from, _forward_latest),
        "E8": (_draw_forward_about_to_two, _forward_about),
        "E9": (_draw_answer, _reply_latest),
    },
)
