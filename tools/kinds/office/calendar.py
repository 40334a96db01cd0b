"""The calendar's search."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.office.matching import where
from worksmith.tools.kinds.office.moments import moment
from worksmith.tools.kinds.office.records import FOUND_AT_MOST, RecordTable
from worksmith.tools.tool_context import ToolContext


def search_events(
    events: RecordTable, ctx: ToolContext, query: str | None, time_min: str | None, time_max: str | None
) -> list[dict[str, Any]] | str:
    found = where(events.all(ctx), ("event_name", "participant_email"), query or "")
    # A bound is read only when something is left to compare it with.
    if time_min and found:
        earliest = _bound(time_min, ctx.now)
        found = [event for event in found if (start := _start(event)) and start >= earliest]
    if time_max and found:
        latest = _bound(time_max, ctx.now)
        found = [event for event in found if (start := _start(event)) and start <= latest]
    return found[:FOUND_AT_MOST] or "No events found."


def _bound(text: str, now: datetime) -> datetime:
    bound = moment(text, now)
    if bound.tzinfo is not None:
        raise ToolError(f"{text!r} has a time zone; the calendar's times have none.")
    return bound


def _start(event: dict[str, Any]) -> datetime | None:
    """The start of an event; None if it is not a date, which create_event allows."""
    try:
        return moment(event["event_start"], datetime.min).replace(tzinfo=None)
    except ToolError:
        return None
