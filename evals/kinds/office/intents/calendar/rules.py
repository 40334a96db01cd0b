"""What tasks mean by next events and free slots: for oracles, and the same through tools for solutions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.wording import moment_cell
from worksmith.evals.kinds.office.records import Event, Records
from worksmith.evals.tasks.task import Action

PAGE = 5
"""A search shows at most that many events."""

OPENING, CLOSING = time(9), time(18)
MEETING = timedelta(minutes=30)

EventRow = dict[str, str]
"""An event as the calendar's search shows it."""


def tomorrow(today: date) -> date:
    """The day after `today`."""
    return today + timedelta(days=1)


def upcoming_with(records: Records, address: str) -> list[Event]:
    """The events with a participant that start after the clock, the next one first."""
    return [event for event in records.upcoming if event.participant == address]


def first_free_slot(busy: Iterable[tuple[datetime, datetime]], day: date) -> datetime | None:
    """The earliest start on `day` of a half hour that touches nothing `busy` and lies in office hours.

    Args:
        busy: starts and ends of the day's events, by start.
    """
    free = datetime.combine(day, OPENING)
    for start, end in busy:
        if free + MEETING <= start:
            return free
        free = max(free, end)
    return free if free + MEETING <= datetime.combine(day, CLOSING) else None


def free_slot_tomorrow(records: Records) -> datetime | None:
    """The first free half hour of the day after the clock's."""
    day = tomorrow(records.today)
    return first_free_slot(((event.start, event.end) for event in records.events_on.get(day, [])), day)


def meeting_tomorrow(records: Records, name: str, participant: str) -> Action:
    """The call that puts a half hour into the first free slot tomorrow; there must be one."""
    start = free_slot_tomorrow(records)
    assert start is not None, "draw no such task for a world whose tomorrow is full"
    return create_event(name, participant, start, 30)


def create_event(name: str, participant: str, start: datetime, minutes: int) -> Action:
    return Action(
        tool="calendar.create_event",
        arguments={
            "event_name": name,
            "participant_email": participant,
            "event_start": moment_cell(start),
            "duration": str(minutes),
        },
    )


def delete_event(event_id: str) -> Action:
    return Action(tool="calendar.delete_event", arguments={"event_id": event_id})


def update_event(event_id: str, field: str, value: str) -> Action:
    arguments = {"event_id": event_id, "field": field, "new_value": value}
    return Action(tool="calendar.update_event", arguments=arguments)


def is_free(records: Records, start: datetime, minutes: int, besides: Event | None = None) -> bool:
    """Whether an event could take place then: none but `besides` is in the way, office hours suffice."""
    end = start + timedelta(minutes=minutes)
    others = (event for event in records.events_on.get(start.date(), []) if event is not besides)
    return end.time() <= CLOSING and all(end <= other.start or start >= other.end for other in others)


def event_names(records: Records) -> list[str]:
    return sorted({event.name for event in records.events})


def search_day(call: PlanRecorder, day: date, why: str, query: str = "") -> list[EventRow]:
    """All events of a day that match a query, page by page."""
    earliest, found = datetime.combine(day, time.min), list[EventRow]()
    while True:
        page = search_between(call, query, earliest, _end(day), why)
        found += page
        if len(page) < PAGE:
            return found
        earliest = start_of(found[-1]) + timedelta(seconds=1)
        why = "The page is full, so I look for later events."


def search_between(
    call: PlanRecorder, query: str, earliest: datetime, latest: datetime, why: str
) -> list[EventRow]:
    """The first events, at most five, that match a query and start in a range, both ends included."""
    arguments = {"query": query} if query else {}
    arguments |= {"time_min": moment_cell(earliest), "time_max": moment_cell(latest)}
    return _rows(call("calendar.search_events", why, **arguments))


def search_upcoming(call: PlanRecorder, query: str, why: str) -> list[EventRow]:
    """The first events, at most five, that match a query and start after the clock."""
    arguments = {"query": query, "time_min": moment_cell(call.now)}
    found = _rows(call("calendar.search_events", why, **arguments))
    return [row for row in found if start_of(row) > call.now]


def find_free_slot_tomorrow(call: PlanRecorder) -> datetime:
    """The first free half hour tomorrow, from as many pages of the day's events as it takes."""
    day = tomorrow(call.today)
    earliest, events = datetime.combine(day, time.min), list[EventRow]()
    why = "I need tomorrow's events to find the first free slot."
    while True:
        page = search_between(call, "", earliest, _end(day), why)
        events += page
        slot = first_free_slot(((start_of(row), end_of(row)) for row in events), day)
        full = len(page) == PAGE
        if slot is not None and not (full and slot >= end_of(events[-1])):
            return slot
        if not full:
            raise LookupError(f"no half hour is free on {day}")
        earliest = start_of(events[-1]) + timedelta(seconds=1)
        why = "The page is full, so I look for later events tomorrow."


def book_tomorrow(call: PlanRecorder, name: str, participant: str) -> None:
    """Put a half hour with a participant into the first free slot tomorrow."""
    start = find_free_slot_tomorrow(call)
    action = create_event(name, participant, start, 30)
    call.perform(action, "I create the event in the first free slot tomorrow.")


def start_of(row: EventRow) -> datetime:
    """When an event that a search has shown starts."""
    return datetime.fromisoformat(row["event_start"])


def end_of(row: EventRow) -> datetime:
    """When an event that a search has shown is over."""
    return start_of(row) + timedelta(minutes=int(row["duration"]))


def _end(day: date) -> datetime:
    return datetime.combine(day, time(23, 59, 59))


def _rows(value: Any) -> list[EventRow]:
    """The search's list; with nothing found it is a message instead."""
    return value if isinstance(value, list) else []
