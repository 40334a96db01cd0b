"""M1, M3-M7: keeping in touch, with the mailbox, the calendar and the customers."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.calendar.rules import (
    book_tomorrow,
    create_event,
    free_slot_tomorrow,
    meeting_tomorrow,
    search_between,
)
from worksmith.evals.kinds.office.intents.crm.rules import find_customer
from worksmith.evals.kinds.office.intents.email.rules import SENDER, search_mails, search_mails_from, send
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
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
from worksmith.evals.kinds.office.records import Customer, Mail, Records
from worksmith.evals.tasks.task import Action

_QUIET = timedelta(days=14)
_STARTS = [time(hour, minute) for hour in range(9, 16) for minute in (0, 30)]
_LAST_SECOND = time(23, 59, 59)
_SATURDAY = 5


def draw_customer(records: Records, rng: Random) -> Slots | None:
    customer = rng.choice(records.customers)
    if customer.last_contact is None or free_slot_tomorrow(records) is None:
        return None
    return {"customer": customer.name}


def meet_owner(records: Records, slots: Slots) -> list[Action]:
    customer = _customer(records, slots["customer"])
    assert customer.last_contact is not None
    if customer.last_contact >= records.today - _QUIET:
        return []
    return [meeting_tomorrow(records, f"Update on {customer.name}", customer.assignee)]


def solve_meet_owner(slots: Slots, call: PlanRecorder) -> None:
    row = find_customer(call, slots["customer"])
    if row["last_contact_date"] < (call.today - _QUIET).isoformat():
        book_tomorrow(call, f"Update on {slots['customer']}", row["assigned_to_email"])


def _customer(records: Records, name: str) -> Customer:
    return next(customer for customer in records.customers if customer.name == name)


def draw_mail_and_time(records: Records, rng: Random) -> Slots | None:
    mail = rng.choice([mail for mails in records.received_from.values() for mail in mails])
    day = records.today + timedelta(days=rng.randint(1, 20))
    sent = mail.sent.date()
    if day_of(day_words(sent), records.today) != sent or len(_mails_of_day(records, mail)) > 1:
        return None
    if day.weekday() >= _SATURDAY:
        return None
    minutes = rng.choice(DURATIONS)
    return {
        "subject": mail.subject,
        "email_date": day_words(sent),
        "event_date": day_words(day),
        "time": time_words(rng.choice(_STARTS)),
        "length": length_adjective(minutes),
        "how_long": length_words(minutes),
    }


def meet_sender(records: Records, slots: Slots) -> list[Action]:
    day = day_of(slots["email_date"], records.today)
    sent = (mail for mails in records.received_from.values() for mail in mails)
    mail = next(m for m in sent if m.subject == slots["subject"] and m.sent.date() == day)
    return [create_event(mail.subject, mail.address, _event_start(slots, records.now), _minutes(slots))]


def solve_meet_sender(slots: Slots, call: PlanRecorder) -> None:
    subject, day = slots["subject"], day_of(slots["email_date"], call.today)
    why = f"I look for the email of {slots['email_date']} about '{subject}'."
    mail = next(row for row in search_mails(call, why, subject, day, day) if row["subject"] == subject)
    start = _event_start(slots, call.now)
    action = create_event(subject, mail[SENDER], start, _minutes(slots))
    call.perform(action, "I create the event with the sender of that email.")


def _mails_of_day(records: Records, mail: Mail) -> list[Mail]:
    return [m for m in records.mails if m.subject == mail.subject and m.sent.date() == mail.sent.date()]


def _event_start(slots: Slots, now: datetime) -> datetime:
    return datetime.combine(day_of(slots["event_date"], now.date()), time_of(slots["time"]))


def _minutes(slots: Slots) -> int:
    return minutes_of(slots["length"])


def draw_day_with_event(records: Records, rng: Random) -> Slots | None:
    days = [day for day in records.events_on if day >= records.today]
    return {"date": day_words(rng.choice(days)), "body": draw_text(rng, "reminders")} if days else None


def remind(records: Records, slots: Slots) -> list[Action]:
    event = records.events_on[day_of(slots["date"], records.today)][0]
    return [send(event.participant, event.name, slots["body"])]


def solve_remind(slots: Slots, call: PlanRecorder) -> None:
    day = day_of(slots["date"], call.today)
    start, end = datetime.combine(day, time.min), datetime.combine(day, _LAST_SECOND)
    found = search_between(call, "", start, end, f"I look for the first event on {slots['date']}.")
    action = send(found[0]["participant_email"], found[0]["event_name"], slots["body"])
    call.perform(action, "I remind the participant of the first event.")


def draw_silence(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(1, 6))
    if day.weekday() >= _SATURDAY:
        return None
    return {
        "name": rng.choice(records.employees).first_name,
        "days": str(rng.randint(2, 4)),
        "weekday": weekday_words(day),
        "time": time_words(rng.choice(_STARTS)),
    }


def meet_if_silent(records: Records, slots: Slots) -> list[Action]:
    address = records.address(slots["name"])
    since = records.now - timedelta(days=int(slots["days"]))
    if any(mail.sent >= since for mail in records.received_from.get(address, [])):
        return []
    return [_catch_up(slots, address, records.now)]


def solve_meet_if_silent(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    first = call.today - timedelta(days=int(slots["days"]))
    why = f"I look for what {slots['name']} has sent in the last {slots['days']} days."
    if not search_mails_from(call, why, address, first):
        why = f"{slots['name']} has not written in these days, so I create the event."
        call.perform(_catch_up(slots, address, call.now), why)


def _catch_up(slots: Slots, address: str, now: datetime) -> Action:
    day = weekday_ahead(slots["weekday"], now.date())
    start = datetime.combine(day, time_of(slots["time"]))
    return create_event(f"Catch up with {slots['name']}", address, start, 30)


def draw_not_met(records: Records, rng: Random) -> Slots:
    return _draw_mail(records, rng, rng.choice((2, 3, 5, 7, 10)))


def draw_not_planned(records: Records, rng: Random) -> Slots:
    return _draw_mail(records, rng, rng.randint(2, 4))


def write_if_not_met(records: Records, slots: Slots) -> list[Action]:
    earliest, latest = _past(slots, records.now)
    return _write_unless_event(records, slots, earliest, latest)


def write_if_none_planned(records: Records, slots: Slots) -> list[Action]:
    earliest, latest = _ahead(slots, records.now)
    return _write_unless_event(records, slots, earliest, latest)


def solve_if_not_met(slots: Slots, call: PlanRecorder) -> None:
    why = f"I look for meetings with {slots['name']} in the past {slots['days']} days."
    _solve_unless_event(slots, call, *_past(slots, call.now), why)


def solve_if_none_planned(slots: Slots, call: PlanRecorder) -> None:
    why = f"I look for meetings with {slots['name']} in the next {slots['days']} days."
    _solve_unless_event(slots, call, *_ahead(slots, call.now), why)


def _draw_mail(records: Records, rng: Random, days: int) -> Slots:
    return {
        "name": rng.choice(records.employees).first_name,
        "days": str(days),
        "subject": draw_text(rng, "catch_up_subjects"),
        "body": draw_text(rng, "catch_up_bodies"),
    }


def _past(slots: Slots, now: datetime) -> tuple[datetime, datetime]:
    """From the beginning of the day so many days ago to the clock."""
    return datetime.combine(now.date() - timedelta(days=int(slots["days"])), time.min), now


def _ahead(slots: Slots, now: datetime) -> tuple[datetime, datetime]:
    """From the clock to the end of the day so many days ahead."""
    return now, datetime.combine(now.date() + timedelta(days=int(slots["days"])), _LAST_SECOND)


def _write_unless_event(records: Records, slots: Slots, earliest: datetime, latest: datetime) -> list[Action]:
    address = records.address(slots["name"])
    if any(earliest <= event.start <= latest for event in records.events_with.get(address, [])):
        return []
    return [send(address, slots["subject"], slots["body"])]


def _solve_unless_event(
    slots: Slots, call: PlanRecorder, earliest: datetime, latest: datetime, why: str
) -> None:
    address = call.find_address(slots["name"])
    if not search_between(call, address, earliest, latest, why):
        action = send(address, slots["subject"], slots["body"])
        call.perform(action, "There is no such meeting, so I send the email.")


INTENTS = intents(
    "multi/contacts.toml",
    {
        "M1": Logic(draw_customer, meet_owner, solve_meet_owner),
        "M3": Logic(draw_mail_and_time, meet_sender, solve_meet_sender),
        "M4": Logic(draw_day_with_event, remind, solve_remind),
        "M5": Logic(draw_silence, meet_if_silent, solve_meet_if_silent),
        "M6": Logic(draw_not_met, write_if_not_met, solve_if_not_met),
        "M7": Logic(draw_not_planned, write_if_none_planned, solve_if_none_planned),
    },
)
