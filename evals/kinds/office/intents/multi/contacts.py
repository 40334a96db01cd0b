"""M1, M3-M7: keeping in touch, with the mailbox, the calendar and the customers."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.actions import create_event, send
from worksmith.evals.kinds.office.intents.calendar.intents import HALF_HOURS, book_tomorrow
from worksmith.evals.kinds.office.intents.crm.intents import find_customer
from worksmith.evals.kinds.office.intents.email.intents import mails_from
from worksmith.evals.kinds.office.intents.intent import Desk, Slots, intents
from worksmith.evals.kinds.office.intents.texts import draw_text
from worksmith.evals.kinds.office.intents.wording import (
    DURATIONS,
    day_of,
    day_words,
    length_adjective,
    length_words,
    minutes_of,
    time_of,
    time_words,
    weekday_ahead,
    weekday_words,
)
from worksmith.evals.kinds.office.records import Records

_QUIET = timedelta(days=14)
_LAST_SECOND = time(23, 59, 59)
_SATURDAY = 5


def _draw_customer(records: Records, rng: Random) -> Slots | None:
    customer = rng.choice(records.customers)
    if customer.last_contact is None or records.free_slot_tomorrow() is None:
        return None
    return {"customer": customer.name}


def _meet_owner(desk: Desk, slots: Slots) -> None:
    customer = find_customer(desk, slots["customer"])
    if customer.last_contact and customer.last_contact < desk.today - _QUIET:
        book_tomorrow(desk, f"Update on {slots['customer']}", customer.assignee)


def _draw_mail_and_time(records: Records, rng: Random) -> Slots | None:
    mail = rng.choice(records.received)
    day = records.today + timedelta(days=rng.randint(1, 20))
    sent = mail.sent.date()
    alike = [each for each in records.mails if (each.subject, each.sent.date()) == (mail.subject, sent)]
    if day_of(day_words(sent), records.today) != sent or len(alike) > 1 or day.weekday() >= _SATURDAY:
        return None
    minutes = rng.choice(DURATIONS)
    return {
        "subject": mail.subject,
        "email_date": day_words(sent),
        "event_date": day_words(day),
        "time": time_words(rng.choice(HALF_HOURS)),
        "length": length_adjective(minutes),
        "how_long": length_words(minutes),
    }


def _meet_sender(desk: Desk, slots: Slots) -> None:
    subject, day = slots["subject"], day_of(slots["email_date"], desk.today)
    why = f"I look for the email of {slots['email_date']} about '{subject}'."
    mail = next(mail for mail in desk.mails(why, subject, day, day) if mail.subject == subject)
    start = datetime.combine(day_of(slots["event_date"], desk.today), time_of(slots["time"]))
    action = create_event(subject, mail.address, start, minutes_of(slots["length"]))
    desk.do(action, "I create the event with the sender of that email.")


def _draw_day_with_event(records: Records, rng: Random) -> Slots | None:
    days = [day for day in records.events_on if day >= records.today]
    return {"date": day_words(rng.choice(days)), "body": draw_text(rng, "reminders")} if days else None


def _remind(desk: Desk, slots: Slots) -> None:
    day = day_of(slots["date"], desk.today)
    start, end = datetime.combine(day, time.min), datetime.combine(day, _LAST_SECOND)
    event = desk.events(f"I look for the first event on {slots['date']}.", "", start, end)[0]
    action = send(event.participant, event.name, slots["body"])
    desk.do(action, "I remind the participant of the first event.")


def _draw_silence(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(1, 6))
    if day.weekday() >= _SATURDAY:
        return None
    return {
        "name": rng.choice(records.employees).first_name,
        "days": str(rng.randint(2, 4)),
        "weekday": weekday_words(day),
        "time": time_words(rng.choice(HALF_HOURS)),
    }


def _meet_if_silent(desk: Desk, slots: Slots) -> None:
    name = slots["name"]
    if mails_from(desk, name, int(slots["days"])):
        return
    start = datetime.combine(weekday_ahead(slots["weekday"], desk.today), time_of(slots["time"]))
    action = create_event(f"Catch up with {name}", desk.address(name), start, 30)
    desk.do(action, f"{name} has not written in these days, so I create the event.")


def _draw_not_met(records: Records, rng: Random) -> Slots:
    return _draw_mail(records, rng, rng.choice((2, 3, 5, 7, 10)))


def _draw_not_planned(records: Records, rng: Random) -> Slots:
    return _draw_mail(records, rng, rng.randint(2, 4))


def _draw_mail(records: Records, rng: Random, days: int) -> Slots:
    return {
        "name": rng.choice(records.employees).first_name,
        "days": str(days),
        "subject": draw_text(rng, "catch_up_subjects"),
        "body": draw_text(rng, "catch_up_bodies"),
    }


def _write_if_not_met(desk: Desk, slots: Slots) -> None:
    first = datetime.combine(desk.today - timedelta(days=int(slots["days"])), time.min)
    _write_unless_event(desk, slots, first, desk.now, "past")


def _write_if_none_planned(desk: Desk, slots: Slots) -> None:
    last = datetime.combine(desk.today + timedelta(days=int(slots["days"])), _LAST_SECOND)
    _write_unless_event(desk, slots, desk.now, last, "next")


def _write_unless_event(desk: Desk, slots: Slots, first: datetime, last: datetime, side: str) -> None:
    address = desk.address(slots["name"])
    why = f"I look for meetings with {slots['name']} in the {side} {slots['days']} days."
    if not desk.events(why, address, first, last):
        action = send(address, slots["subject"], slots["body"])
        desk.do(action, "There is no such meeting, so I send the email.")


INTENTS = intents(
    "multi/contacts.toml",
    {
        "M1": (_draw_customer, _meet_owner),
        "M3": (_draw_mail_and_time, _meet_sender),
        "M4": (_draw_day_with_event, _remind),
        "M5": (_draw_silence, _meet_if_silent),
        "M6": (_draw_not_met, _write_if_not_met),
        "M7": (_draw_not_planned, _write_if_none_planned),
    },
)
