"""The calendar toolkit."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.office import schema
from worksmith.tools.kinds.office.matching import where
from worksmith.tools.kinds.office.moments import moment
from worksmith.tools.kinds.office.records import FOUND_AT_MOST, RecordTable
from worksmith.tools.tool import Toolkit, tool
from worksmith.tools.tool_context import ToolContext

EVENTS = RecordTable(schema.CALENDAR, "Event", 8)


@tool(writes=True)
def create_event(
    ctx: ToolContext,
    event_name: str | None = None,
    participant_email: str | None = None,
    event_start: str | None = None,
    duration: str | None = None,
) -> str:
    """Put a new event into Sam's calendar and return its id. Does not check for clashes or office hours.

    Args:
        event_name: Title. Required.
        participant_email: Address of the one participant. Required.
        event_start: YYYY-MM-DD HH:MM:SS. Required.
        duration: Length in minutes, e.g. "30". Required.
    """
    if not event_name:
        return "Event name not provided."
    if not participant_email:
        return "Participant email not provided."
    if not event_start:
        return "Event start not provided."
    if not duration:
        return "Event duration not provided."
    return EVENTS.append(ctx, event_name, participant_email.lower(), event_start, duration)


@tool(writes=True)
def delete_event(ctx: ToolContext, event_id: str | None = None) -> str:
    """Delete an event.

    Args:
        event_id: The 8-digit id. Required.
    """
    return EVENTS.delete(ctx, event_id)


@tool(writes=True)
def update_event(
    ctx: ToolContext, event_id: str | None = None, field: str | None = None, new_value: str | None = None
) -> str:
    """Change one field of an event.

    Args:
        event_id: The 8-digit id. Required.
        field: event_name, participant_email, event_start or duration. Required.
        new_value: What the field becomes; written as create_event takes it. Required.
    """
    if not event_id or not field or not new_value:
        return "Event ID, field, or new value not provided."
    value = new_value.lower() if field == "participant_email" else new_value
    return EVENTS.update(ctx, event_id, field, value, "Field not found.")


@tool()
def get_event_information_by_id(
    ctx: ToolContext, event_id: str | None = None, field: str | None = None
) -> dict[str, Any] | str:
    """Look up one field of an event.

    Args:
        event_id: The 8-digit id. Required.
        field: event_id, event_name, participant_email, event_start or duration. Required.
    """
    return EVENTS.information(ctx, event_id, field)


@tool()
def search_events(
    ctx: ToolContext, query: str | None = "", time_min: str | None = None, time_max: str | None = None
) -> list[dict[str, Any]] | str:
    """Find events by name or participant and by start time.

    Returns at most the first 5, earliest first (events created by you come last). To see more, ask again
    with a later time_min.

    Args:
        query: Regular expression looked for in event name and participant address, ignoring case;
            empty matches all.
        time_min: Earliest start, inclusive, YYYY-MM-DD HH:MM:SS; a date alone means its midnight.
        time_max: Latest start, inclusive; a date alone means its midnight, which excludes that day.
    """
    events = where(EVENTS.all(ctx), ("event_name", "participant_email"), query or "")
    # A bound is read only when something is left to compare it with.
    if time_min and events:
        earliest = _bound(time_min, ctx.now)
        events = [event for event in events if (start := _start(event)) and start >= earliest]
    if time_max and events:
        latest = _bound(time_max, ctx.now)
        events = [event for event in events if (start := _start(event)) and start <= latest]
    return events[:FOUND_AT_MOST] or "No events found."


def _bound(text: str, now: datetime) -> datetime:
    bound = moment(text, now)
    if bound.tzinfo is not None:
        raise ToolError(f"{text!r} has a time zone; the calendar's times have none.")
    return bound


def _start(event: dict[str, Any]) -> datetime | None:
    """The start of an event; None if it is no date, which create_event does not prevent."""
    try:
        return moment(event["event_start"], datetime.min).replace(tzinfo=None)
    except ToolError:
        return None


TOOLKIT = Toolkit.of(
    "calendar",
    "Sam's calendar",
    (create_event, delete_event, update_event, get_event_information_by_id, search_events),
)
