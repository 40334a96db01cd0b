"""Tasks about the calendar (C1-C11): events are cancelled, renamed, moved, created."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.actions import create_event, delete_event, update_event
from worksmith.evals.kinds.office.intents.intent import Desk, Slots, intents
from worksmith.evals.kinds.office.intents.wording import (
    DURATIONS,
    day_of,
    day_words,
    length_adjective,
    length_words,
    minutes_of,
    moment_cell,
    time_of,
    time_words,
    weekday_ahead,
    weekday_words,
)
from worksmith.evals.kinds.office.records import Event, Records

CATCH_UP = "catch-up"
HALF_HOURS = tuple(time(hour, minute) for hour in range(9, 16) for minute in (0, 30))
_DAYS_BACK = (1, 10)
_DAYS_AHEAD = (1, 14)
_NEXT = "The first event found is the next one, so I"


def _coming_day(records: Records, rng: Random) -> str | None:
    days = sorted({event.start.date() for event in records.upcoming})
    return day_words(rng.choice(days)) if days else None


def _draw_day(records: Records, rng: Random) -> Slots | None:
    day = _coming_day(records, rng)
    return {"date": day} if day else None


def _cancel_first(desk: Desk, slots: Slots) -> None:
    day = day_of(slots["date"], desk.today)
    why = f"I look for the first event on {slots['date']}."
    first, last = datetime.combine(day, time.min), datetime.combine(day, time.max)
    for event in desk.events(why, "", first, last)[:1]:
        desk.do(delete_event(event.id), "The first event of that day is the one to delete.")


def _draw_rename_last(records: Records, rng: Random) -> Slots | None:
    day = _coming_day(records, rng)
    name = rng.choice(records.event_names)
    if not day or records.events_on[day_of(day, records.today)][-1].name == name:
        return None
    return {"date": day, "new_name": name}


def _rename_last(desk: Desk, slots: Slots) -> None:
    why = f"I look for the events on {slots['date']}."
    for event in desk.events_of_day(why, day_of(slots["date"], desk.today))[-1:]:
        action = update_event(event.id, "event_name", slots["new_name"])
        desk.do(action, "The last event of that day gets the new name.")


def _draw_postpone(records: Records, rng: Random) -> Slots | None:
    event, minutes = rng.choice(records.upcoming), rng.choice(DURATIONS)
    first = next(e for e in records.events_on[event.start.date()] if e.participant == event.participant)
    if not records.is_free(first.start + timedelta(minutes=minutes), first.minutes, besides=first):
        return None
    return {
        "name": event.participant.split(".")[0].capitalize(),
        "date": day_words(event.start.date()),
        "how_long": length_words(minutes),
        "length": length_adjective(minutes),
    }


def _postpone(desk: Desk, slots: Slots) -> None:
    address = desk.address(slots["name"])
    why = f"I look for the first event with {slots['name']} on {slots['date']}."
    event = desk.events_of_day(why, day_of(slots["date"], desk.today), address)[0]
    later = event.start + timedelta(minutes=minutes_of(slots["how_long"]))
    action = update_event(event.id, "event_start", moment_cell(later))
    desk.do(action, "I move the start of that event.")


def _draw_named(records: Records, rng: Random) -> Slots:
    return {"event_name": rng.choice(records.event_names)}


def _draw_coming(records: Records, rng: Random) -> Slots | None:
    return {"event_name": rng.choice(records.upcoming).name} if records.upcoming else None


def _named(desk: Desk, slots: Slots, why: str) -> list[Event]:
    found = desk.events(why, slots["event_name"], desk.now)
    return [event for event in found if event.name.lower() == slots["event_name"].lower()]


def _cancel_next_named(desk: Desk, slots: Slots) -> None:
    for event in _named(desk, slots, f"I look for the next {slots['event_name']}.")[:1]:
        desk.do(delete_event(event.id), f"{_NEXT} delete it.")


def _draw_rename_next(records: Records, rng: Random) -> Slots | None:
    slots = _draw_coming(records, rng)
    name = rng.choice(records.event_names)
    return {**slots, "new_name": name} if slots and slots["event_name"] != name else None


def _rename_next(desk: Desk, slots: Slots) -> None:
    for event in _named(desk, slots, f"I look for the next {slots['event_name']}.")[:1]:
        desk.do(update_event(event.id, "event_name", slots["new_name"]), f"{_NEXT} rename it.")


def _draw_person(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.employees).first_name}


def _cancel_next_with(desk: Desk, slots: Slots) -> None:
    address = desk.address(slots["name"])
    for event in desk.events(f"I look for the next event with {slots['name']}.", address, desk.now)[:1]:
        desk.do(delete_event(event.id), f"{_NEXT} delete it.")


def _draw_catch_up(records: Records, rng: Random) -> Slots | None:
    if records.free_slot_tomorrow() is None:
        return None
    return {**_draw_person(records, rng), "days": str(rng.randint(*_DAYS_BACK))}


def _catch_up(desk: Desk, slots: Slots) -> None:
    address = desk.address(slots["name"])
    since = desk.now - timedelta(days=int(slots["days"]))
    why = f"I look for events with {slots['name']} in the last {slots['days']} days."
    if not desk.events(why, address, since, desk.now):
        book_tomorrow(desk, CATCH_UP, address)


def book_tomorrow(desk: Desk, name: str, participant: str) -> None:
    """Put a half hour with a participant into the first free slot tomorrow."""
    action = create_event(name, participant, desk.free_slot_tomorrow(), 30)
    desk.do(action, "I create the event in the first free slot tomorrow.")


def _draw_part_of_day(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(1, 6))
    if day.weekday() >= 5:
        return None
    return {
        "weekday": weekday_words(day),
        "time": time_words(rng.choice(HALF_HOURS[1:-1])),
        "before_or_after": rng.choice(("before", "after")),
    }


def _clear_part(desk: Desk, slots: Slots) -> None:
    """Delete what starts before or after a time, which leave out the time itself."""
    day = weekday_ahead(slots["weekday"], desk.today)
    first, last = datetime.combine(day, time.min), datetime.combine(day, time(23, 59, 59))
    limit = datetime.combine(day, time_of(slots["time"]))
    if slots["before_or_after"] == "before":
        last = limit - timedelta(seconds=1)
    else:
        first = limit + timedelta(seconds=1)
    why = f"I look for events that start {slots['before_or_after']} {slots['time']} on {slots['weekday']}."
    _delete_each(desk, lambda: desk.events(why, "", first, last))


def _delete_each(desk: Desk, search: Callable[[], list[Event]]) -> None:
    for event in desk.again(search):
        desk.do(delete_event(event.id), "This event is one of those to delete.")


def _cancel_all_with(desk: Desk, slots: Slots) -> None:
    address = desk.address(slots["name"])
    why = f"I look for events ahead with {slots['name']}."
    _delete_each(desk, lambda: desk.events(why, address, desk.now))


def _cancel_all_named(desk: Desk, slots: Slots) -> None:
    why = f"I look for events ahead called {slots['event_name']}."
    _delete_each(desk, lambda: _named(desk, slots, why))


def _draw_event(records: Records, rng: Random) -> Slots | None:
    day = records.today + timedelta(days=rng.randint(*_DAYS_AHEAD))
    start, minutes = datetime.combine(day, rng.choice(HALF_HOURS)), rng.choice(DURATIONS)
    if day.weekday() >= 5 or not records.is_free(start, minutes):
        return None
    return {
        **_draw_person(records, rng),
        "event_name": rng.choice(records.event_names),
        "date": day_words(day),
        "time": time_words(start.time()),
        "how_long": length_words(minutes),
        "length": length_adjective(minutes),
    }


def _create(desk: Desk, slots: Slots) -> None:
    address = desk.address(slots["name"])
    start = datetime.combine(day_of(slots["date"], desk.today), time_of(slots["time"]))
    action = create_event(slots["event_name"], address, start, minutes_of(slots["how_long"]))
    desk.do(action, "I create the event as described.")


INTENTS = intents(
    "calendar/intents.toml",
    {
        "C1": (_draw_day, _cancel_first),
        "C2": (_draw_rename_last, _rename_last),
        "C3": (_draw_postpone, _postpone),
        "C4": (_draw_coming, _cancel_next_named),
        "C5": (_draw_rename_next, _rename_next),
        "C6": (_draw_person, _cancel_next_with),
        "C7": (_draw_catch_up, _catch_up),
        "C8": (_draw_part_of_day, _clear_part),
        "C9": (_draw_person, _cancel_all_with),
        "C10": (_draw_named, _cancel_all_named),
        "C11": (_draw_event, _create),
    },
)
