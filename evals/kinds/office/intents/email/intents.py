"""E1-E9: the mailbox."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from worksmith.evals.kinds.office.intents import texts
from worksmith.evals.kinds.office.intents.email.rules import (
    SENDER,
    delete,
    forward,
    last_week,
    latest,
    reply,
    search_latest,
    search_mails,
    search_mails_from,
    send,
)
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Mail, Records
from worksmith.evals.tasks.task import Action


def draw_sender(records: Records, rng: Random) -> Slots | None:
    name = rng.choice(records.employees).first_name
    return {"name": name} if records.address(name) in records.received_from else None


def delete_latest(records: Records, slots: Slots) -> list[Action]:
    return [delete(_latest_from(records, slots["name"]).id)]


def solve_delete_latest(slots: Slots, call: PlanRecorder) -> None:
    found = _find_latest_from(call, slots["name"])
    call.perform(
        delete(found["email_id"]), f"The first one is the latest from {slots['name']}, so I delete it."
    )


def draw_recent(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.employees).first_name, "days": str(rng.randint(2, 7))}


def delete_recent(records: Records, slots: Slots) -> list[Action]:
    since = records.now - timedelta(days=int(slots["days"]))
    mails = records.received_from.get(records.address(slots["name"]), [])
    return [delete(mail.id) for mail in mails if mail.sent >= since]


def solve_delete_recent(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    first = call.today - timedelta(days=int(slots["days"]))
    why = f"I look for what {slots['name']} has sent in the last {slots['days']} days."
    for row in search_mails_from(call, why, address, first):
        call.perform(delete(row["email_id"]), "This email is from those days, so I delete it.")


def draw_message(records: Records, rng: Random) -> Slots:
    name = rng.choice(records.employees).first_name
    subject, body = texts.draw_message(rng, name)
    return {"name": name, "subject": subject, "body": body}


def send_message(records: Records, slots: Slots) -> list[Action]:
    return [send(records.address(slots["name"]), slots["subject"], slots["body"])]


def solve_send_message(slots: Slots, call: PlanRecorder) -> None:
    action = send(call.find_address(slots["name"]), slots["subject"], slots["body"])
    call.perform(action, "I send the email with the given subject and text.")


def draw_answer_about(records: Records, rng: Random) -> Slots:
    mail = _any_mail(records, rng)
    return {
        "name": _first_name(records, mail.address),
        "subject": mail.subject,
        "body": texts.draw_text(rng, "answers"),
    }


def reply_about(records: Records, slots: Slots) -> list[Action]:
    mails = records.received_from[records.address(slots["name"])]
    return [reply(latest(m for m in mails if m.subject == slots["subject"]).id, slots["body"])]


def solve_reply_about(slots: Slots, call: PlanRecorder) -> None:
    name, subject = slots["name"], slots["subject"]
    sender = {SENDER: call.find_address(name)}
    found = search_latest(
        call, f"I look for the emails about '{subject}'.", subject, subject=subject, **sender
    )
    action = reply(found["email_id"], slots["body"])
    call.perform(action, f"This one is the latest of them from {name}, so I reply to it.")


def draw_last_week(records: Records, rng: Random) -> Slots | None:
    monday, sunday = last_week(records.today)
    mails = [mail for mail in _received(records) if monday <= mail.sent.date() <= sunday]
    if not mails:
        return None
    mail = rng.choice(mails)
    name = _first_name(records, mail.address)
    return {"name": name, "subject": mail.subject, "recipient": _somebody_else(records, rng, name)}


def forward_last_week(records: Records, slots: Slots) -> list[Action]:
    monday, sunday = last_week(records.today)
    mails = records.received_from[records.address(slots["name"])]
    wanted = (m for m in mails if m.subject == slots["subject"] and monday <= m.sent.date() <= sunday)
    recipient = records.address(slots["recipient"])
    return [forward(mail.id, recipient) for mail in wanted]


def solve_forward_last_week(slots: Slots, call: PlanRecorder) -> None:
    name, subject = slots["name"], slots["subject"]
    sender = call.find_address(name)
    recipient = call.find_address(slots["recipient"])
    why = f"I look for last week's emails about '{subject}'."
    for row in search_mails(call, why, subject, *last_week(call.today)):
        if (row["subject"], row[SENDER]) == (subject, sender):
            action = forward(row["email_id"], recipient)
            call.perform(action, f"This one is from {name}, so I forward it to {slots['recipient']}.")


def draw_forward_about(records: Records, rng: Random) -> Slots:
    mail = _any_mail(records, rng)
    sender = _first_name(records, mail.address)
    return {"subject": mail.subject, "recipient": _somebody_else(records, rng, sender)}


def draw_forward_about_to_two(records: Records, rng: Random) -> Slots:
    one, two = rng.sample(records.employees, 2)
    subject = _any_mail(records, rng).subject
    return {"subject": subject, "recipient_1": one.first_name, "recipient_2": two.first_name}


def forward_about(records: Records, slots: Slots) -> list[Action]:
    inbox = (mail for mails in records.received_from.values() for mail in mails)
    found = latest(mail for mail in inbox if mail.subject == slots["subject"])
    return [forward(found.id, records.address(name)) for name in _recipients(slots)]


def solve_forward_about(slots: Slots, call: PlanRecorder) -> None:
    addresses = {name: call.find_address(name) for name in _recipients(slots)}
    subject = slots["subject"]
    found = search_latest(call, f"I look for the emails about '{subject}'.", subject, subject=subject)
    for name, address in addresses.items():
        call.perform(forward(found["email_id"], address), f"I forward the latest of them to {name}.")


def _recipients(slots: Slots) -> list[str]:
    return [value for slot, value in slots.items() if slot.startswith("recipient")]


def draw_forward_from(records: Records, rng: Random) -> Slots | None:
    sender = draw_sender(records, rng)
    if sender is None:
        return None
    return {"sender": sender["name"], "recipient": _somebody_else(records, rng, sender["name"])}


def forward_latest(records: Records, slots: Slots) -> list[Action]:
    return [forward(_latest_from(records, slots["sender"]).id, records.address(slots["recipient"]))]


def solve_forward_latest(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["sender"])
    recipient = call.find_address(slots["recipient"])
    found = _search_latest_from(call, slots["sender"], address)
    call.perform(forward(found["email_id"], recipient), "The first email is the latest, so I forward it.")


def draw_answer(records: Records, rng: Random) -> Slots | None:
    sender = draw_sender(records, rng)
    return sender and {"sender": sender["name"], "body": texts.draw_text(rng, "thanks")}


def reply_latest(records: Records, slots: Slots) -> list[Action]:
    return [reply(_latest_from(records, slots["sender"]).id, slots["body"])]


def solve_reply_latest(slots: Slots, call: PlanRecorder) -> None:
    found = _find_latest_from(call, slots["sender"])
    call.perform(reply(found["email_id"], slots["body"]), "The first one is the latest, so I reply to it.")


def _latest_from(records: Records, name: str) -> Mail:
    return latest(records.received_from[records.address(name)])


def _find_latest_from(call: PlanRecorder, name: str) -> dict[str, str]:
    return _search_latest_from(call, name, call.find_address(name))


def _search_latest_from(call: PlanRecorder, name: str, address: str) -> dict[str, str]:
    return search_latest(
        call, f"I look for the emails from {name}, the latest first.", address, **{SENDER: address}
    )


def _any_mail(records: Records, rng: Random) -> Mail:
    return rng.choice(_received(records))


def _received(records: Records) -> list[Mail]:
    return [mail for mails in records.received_from.values() for mail in mails]


def _first_name(records: Records, address: str) -> str:
    return next(e.first_name for e in records.employees if e.address == address)


def _somebody_else(records: Records, rng: Random, name: str) -> str:
    return rng.choice([e.first_name for e in records.employees if e.first_name != name])


INTENTS = intents(
    "email/intents.toml",
    {
        "E1": Logic(draw_sender, delete_latest, solve_delete_latest),
        "E2": Logic(draw_recent, delete_recent, solve_delete_recent),
        "E3": Logic(draw_message, send_message, solve_send_message),
        "E4": Logic(draw_answer_about, reply_about, solve_reply_about),
        "E5": Logic(draw_last_week, forward_last_week, solve_forward_last_week),
        "E6": Logic(draw_forward_about, forward_about, solve_forward_about),
        "E7": Logic(draw_forward_from, forward_latest, solve_forward_latest),
        "E8": Logic(draw_forward_about_to_two, forward_about, solve_forward_about),
        "E9": Logic(draw_answer, reply_latest, solve_reply_latest),
    },
)
