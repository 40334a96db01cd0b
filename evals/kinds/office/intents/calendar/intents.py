"""Tasks about the calendar (C1-C11): events are cancelled, renamed, moved, created."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.calendar.days import DAYS
from worksmith.evals.kinds.office.intents.calendar.rules import (
    EventRow,
    book_tomorrow,
    create_event,
    delete_event,
    event_names,
    free_slot_tomorrow,
    is_free,
    meeting_tomorrow,
    search_between,
    search_upcoming,
    upcoming_with,
    update_event,
)
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
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
from worksmith.evals.kinds.office.records import Event, Records
from worksmith.evals.tasks.task import Action

CATCH_UP = "catch-up"
_DAYS_BACK = (1, 10)
_DAYS_AHEAD = (1, 14)
_HALF_HOURS = tuple(time(hour, minute) for hour in range(9, 16) for minute in (0, 30))


def _delete_each(call: PlanRecorder, search: Callable[[], list[EventRow]]) -> None:
    """Delete what a search finds, and search again, until it finds nothing: a page may hide more."""
    while found := search():
        for row in found:
            call.perform(delete_event(row["event_id"]), "This event is one of those to delete.")


def _draw_named(records: Records, rng: Random) -> Slots:
    return {"event_name": rng.choice(event_names(records))}


def _draw_coming(records: Records, rng: Random) -> Slots | None:
    return {"event_name": rng.choice(records.upcoming).name} if records.upcoming else None


def _named(records: Records, slots: Slots) -> list[Event]:
    return [event for event in records.upcoming if event.name.lower() == slots["event_name"].lower()]


def _search_named(slots: Slots, call: PlanRecorder, why: str) -> list[EventRow]:
    found = search_upcoming(call, slots["event_name"], why)
    return [row for row in found if row["event_name"].lower() == slots["event_name"].lower()]


def _cancel_next_named(records: Records, slots: Slots) -> list[Action]:
    return [delete_event(event.id) for event in _named(records, slots)[:1]]


def _solve_cancel_next_named(slots: Slots, call: PlanRecorder) -> None:
    for row in _search_named(slots, call, f"I look for the next {slots['event_name']}.")[:1]:
        call.perform(delete_event(row["event_id"]), "The first event found is the next one, so I delete it.")


def _draw_rename_next(records: Records, rng: Random) -> Slots | None:
    slots = _draw_coming(records, rng)
    name = rng.choice(event_names(records))
    return {**slots, "new_name": name} if slots and slots["event_name"] != name else None


def _rename_next(records: Records, slots: Slots) -> list[Action]:
    return [update_event(event.id, "event_name", slots["new_name"]) for event in _named(records, slots)[:1]]


def _solve_rename_next(slots: Slots, call: PlanRecorder) -> None:
    for row in _search_named(slots, call, f"I look for the next {slots['event_name']}.")[:1]:
        action = update_event(row["event_id"], "event_name", slots["new_name"])
        call.perform(action, "The first event found is the next one, so I rename it.")


def _draw_person(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.employees).first_name}


def _cancel_next_with(records: Records, slots: Slots) -> list[Action]:
    return [delete_event(event.id) for event in upcoming_with(records, records.address(slots["name"]))[:1]]


def _solve_cancel_next_with(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    for row in search_upcoming(call, address, f"I look for the next event with {slots['name']}.")[:1]:
        call.perform(delete_event(row["event_id"]), "The first event found is the next one, so I delete it.")


def _draw_catch_up(records: Records, rng: Random) -> Slots | None:
    if free_slot_tomorrow(records) is None:
        return None
    return {**_draw_person(records, rng), "days": str(rng.randint(*_DAYS_BACK))}


def _catch_up(records: Records, slots: Slots) -> list[Action]:
    address, since = records.address(slots["name"]), records.now - timedelta(days=int(slots["days"]))
    met = any(since < event.start < records.now for event in records.events_with.get(address, []))
    return [] if met else [meeting_tomorrow(records, CATCH_UP, address)]


def _solve_catch_up(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    since = call.now - timedelta(days=int(slots["days"]))
    why = f"I look for events with {slots['name']} in the last {slots['days']} days."
    if not search_between(call, address, since, call.now, why):
        book_tomorrow(call, CATCH_UP, address)


def _draw_part_of_day(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(1, 6))
    if day.weekday() >= 5:
        return None
    return {
        "weekday": weekday_words(day),
        "time": time_words(rng.choice(_HALF_HOURS[1:-1])),
        "before_or_after": rng.choice(("before", "after")),
    }


def _part_of_day(slots: Slots, now: datetime) -> tuple[datetime, datetime]:
    """The first and the last start that count; "before" and "after" leave out the time itself."""
    day = weekday_ahead(slots["weekday"], now.date())
    limit = datetime.combine(day, time_of(slots["time"]))
    if slots["before_or_after"] == "before":
        return datetime.combine(day, time.min), limit - timedelta(seconds=1)
    return limit + timedelta(seconds=1), datetime.combine(day, time(23, 59, 59))


def _clear_part(records: Records, slots: Slots) -> list[Action]:
    first, last = _part_of_day(slots, records.now)
    events = records.events_on.get(first.date(), [])
    return [delete_event(event.id) for event in events if first <= event.start <= last]


def _solve_clear_part(slots: Slots, call: PlanRecorder) -> None:
    first, last = _part_of_day(slots, call.now)
    why = f"I look for events that start {slots['before_or_after']} {slots['time']} on {slots['weekday']}."
    _delete_each(call, lambda: search_between(call, "", first, last, why))


def _cancel_all_with(records: Records, slots: Slots) -> list[Action]:
    return [delete_event(event.id) for event in upcoming_with(records, records.address(slots["name"]))]


def _solve_cancel_all_with(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    why = f"I look for events ahead with {slots['name']}."
    _delete_each(call, lambda: search_upcoming(call, address, why))


def _cancel_all_named(records: Records, slots: Slots) -> list[Action]:
    return [delete_event(event.id) for event in _named(records, slots)]


def _solve_cancel_all_named(slots: Slots, call: PlanRecorder) -> None:
    why = f"I look for events ahead called {slots['event_name']}."
    _delete_each(call, lambda: _search_named(slots, call, why))


def _draw_event(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(*_DAYS_AHEAD))
    start, minutes = datetime.combine(day, rng.choice(_HALF_HOURS)), rng.choice(DURATIONS)
    if day.weekday() >= 5 or not is_free(records, start, minutes):
        return None
    return {
        **_draw_person(records, rng),
        "event_name": rng.choice(event_names(records)),
        "date": day_words(day),
        "time": time_words(start.time()),
        "how_long": length_words(minutes),
        "length": length_adjective(minutes),
    }


def _new_event(slots: Slots, now: datetime, address: str) -> Action:
    start = datetime.combine(day_of(slots["date"], now.date()), time_of(slots["time"]))
    return create_event(slots["event_name"], address, start, minutes_of(slots["how_long"]))


def _create(records: Records, slots: Slots) -> list[Action]:
    return [_new_event(slots, records.now, records.address(slots["name"]))]


def _solve_create(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    call.perform(_new_event(slots, call.now, address), "I create the event as described.")


INTENTS = intents(
    "calendar/intents.toml",
    {
        **DAYS,
        "C4": Logic(_draw_coming, _cancel_next_named, _solve_cancel_next_named),
        "C5": Logic(_draw_rename_next, _rename_next, _solve_rename_next),
        "C6": Logic(_draw_person, _cancel_next_with, _solve_cancel_next_with),
        "C7": Logic(_draw_catch_up, _catch_up, _solve_catch_up),
        "C8": Logic(_draw_part_of_day, _clear_part, _solve_clear_part),
        "C9": Logic(_draw_person, _cancel_all_with, _solve_cancel_all_with),
        "C10": Logic(_draw_named, _cancel_all_named, _solve_cancel_all_named),
        "C11": Logic(_draw_event, _create, _solve_create),
    },
)
