"""Tasks about the first or last event of a day (C1, C2, C3)."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.calendar.rules import (
    delete_event,
    event_names,
    is_free,
    search_between,
    search_day,
    start_of,
    update_event,
)
from worksmith.evals.kinds.office.intents.intent import Logic, Slots
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import (
    DURATIONS,
    day_of,
    day_words,
    length_adjective,
    length_words,
    minutes_of,
    moment_cell,
)
from worksmith.evals.kinds.office.records import Event, Records
from worksmith.evals.tasks.task import Action


def _coming_day(records: Records, rng: Random) -> str | None:
    days = sorted({event.start.date() for event in records.upcoming})
    return day_words(rng.choice(days)) if days else None


def draw_day(records: Records, rng: Random) -> Slots | None:
    day = _coming_day(records, rng)
    return {"date": day} if day else None


def _events_of_day(records: Records, slots: Slots) -> list[Event]:
    return records.events_on.get(day_of(slots["date"], records.today), [])


def cancel_first(records: Records, slots: Slots) -> list[Action]:
    return [delete_event(event.id) for event in _events_of_day(records, slots)[:1]]


def solve_cancel_first(slots: Slots, call: PlanRecorder) -> None:
    day = day_of(slots["date"], call.today)
    why = f"I look for the first event on {slots['date']}."
    for row in search_between(
        call, "", datetime.combine(day, time.min), datetime.combine(day, time.max), why
    )[:1]:
        call.perform(delete_event(row["event_id"]), "The first event of that day is the one to delete.")


def draw_rename_last(records: Records, rng: Random) -> Slots | None:
    day = _coming_day(records, rng)
    name = rng.choice(event_names(records))
    if not day or _events_of_day(records, {"date": day})[-1].name == name:
        return None
    return {"date": day, "new_name": name}


def rename_last(records: Records, slots: Slots) -> list[Action]:
    return [
        update_event(event.id, "event_name", slots["new_name"])
        for event in _events_of_day(records, slots)[-1:]
    ]


def solve_rename_last(slots: Slots, call: PlanRecorder) -> None:
    found = search_day(call, day_of(slots["date"], call.today), f"I look for the events on {slots['date']}.")
    for row in found[-1:]:
        action = update_event(row["event_id"], "event_name", slots["new_name"])
        call.perform(action, "The last event of that day gets the new name.")


def draw_postpone(records: Records, rng: Random) -> Slots | None:
    event, minutes = rng.choice(records.upcoming), rng.choice(DURATIONS)
    slots = {
        "name": event.participant.split(".")[0].capitalize(),
        "date": day_words(event.start.date()),
        "how_long": length_words(minutes),
        "length": length_adjective(minutes),
    }
    event = _first_with(records, slots)
    shift = timedelta(minutes=minutes)
    return slots if is_free(records, event.start + shift, event.minutes, besides=event) else None


def _first_with(records: Records, slots: Slots) -> Event:
    address = records.address(slots["name"])
    return next(event for event in _events_of_day(records, slots) if event.participant == address)


def _postponed(event_id: str, start: datetime, slots: Slots) -> Action:
    later = start + timedelta(minutes=minutes_of(slots["how_long"]))
    return update_event(event_id, "event_start", moment_cell(later))


def postpone(records: Records, slots: Slots) -> list[Action]:
    event = _first_with(records, slots)
    return [_postponed(event.id, event.start, slots)]


def solve_postpone(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    day = day_of(slots["date"], call.today)
    row = search_day(
        call, day, f"I look for the first event with {slots['name']} on {slots['date']}.", address
    )[0]
    call.perform(_postponed(row["event_id"], start_of(row), slots), "I move the start of that event.")


DAYS = {
    "C1": Logic(draw_day, cancel_first, solve_cancel_first),
    "C2": Logic(draw_rename_last, rename_last, solve_rename_last),
    "C3": Logic(draw_postpone, postpone, solve_postpone),
}
