"""Reading a point in time as people write it."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, timezone

from worksmith.tools.errors import ToolError

CELL_FORMAT = "%Y-%m-%d %H:%M:%S"
"""How a point in time is written in a cell."""

_CLOCK_TIME = re.compile(r"\d{1,2}:\d{2}")


def moment(text: str, now: datetime) -> datetime:
    """The point in time that `text` names; a date alone is its midnight.

    ISO texts take a short way; the rest is read as dateutil does, month before day. A clock time alone
    is that time on the day of `now`; a month alone is its first day.

    Raises:
        ToolError: if the text cannot be read, names no year, or names a day or hour that does not exist.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _leniently(text.strip(), now)


def _leniently(text: str, now: datetime) -> datetime:
    from dateutil import parser  # 15 ms, and nearly every text is ISO

    clock_only = _CLOCK_TIME.match(text) is not None
    midnight = datetime.combine(now.date() if clock_only else datetime.min.date(), time.min)
    try:
        found: datetime = parser.parse(text, default=midnight, tzinfos=_zone)
    except (ValueError, OverflowError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
        raise ToolError(f"Cannot read {text!r} as a date or time.") from error
    if found.year == datetime.min.year:
        raise ToolError(f"Cannot read {text!r} as a date or time: it names no year.")
    return found


def _zone(name: str | None, offset: int | None) -> timezone | None:
    """Any zone counts as one; without this, dateutil would ask the host which names it knows."""
    return timezone(timedelta(seconds=offset or 0)) if name or offset is not None else None
