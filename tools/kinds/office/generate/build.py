"""A whole generated office."""

from __future__ import annotations

from datetime import datetime

from tools.errors import InputError
from tools.kinds.office import schema
from tools.kinds.office.generate.calendar import events
from tools.kinds.office.generate.customers import customers
from tools.kinds.office.generate.mails import mails
from tools.kinds.office.generate.names import draw_cast
from tools.kinds.office.generate.tasks import task_names, tasks
from tools.kinds.office.generate.visits import visits
from tools.kinds.office.schema import Row

DEFAULT_NOW = datetime(2024, 10, 17)
"""A Thursday, midnight."""

SCALES = (0.05, 100.0)
"""Below the first there is too little of each kind, above the second customers run out of names."""

_COUNTS = {
    schema.CALENDAR.name: 300,
    schema.EMAIL.name: 500,
    schema.ANALYTICS.name: 1000,
    schema.TASKS.name: 300,
    schema.CUSTOMERS.name: 200,
}


def build(seed: int = 0, scale: float = 1.0, now: datetime = DEFAULT_NOW) -> dict[str, list[Row]]:
    """The tables of a generated office, ready to be written as a world.

    Args:
        seed: decides all content; the same seed, scale and clock give the same tables.
        scale: multiplies the number of rows. Twenty employees and 48 event names stay.
        now: the clock of the world's episodes. All dates are relative to its day.

    Raises:
        InputError: if the scale is out of range.
    """
    least, most = SCALES
    if not least <= scale <= most:
        raise InputError(f"the scale {scale} is not between {least} and {most}", where="scale")
    counts = {table: round(count * scale) for table, count in _COUNTS.items()}
    cast = draw_cast(seed)
    names = [name for board in schema.BOARDS for name in task_names(board)]
    return {
        schema.CALENDAR.name: events(seed, counts[schema.CALENDAR.name], now, cast),
        schema.EMAIL.name: mails(seed, counts[schema.EMAIL.name], now, cast, names),
        schema.ANALYTICS.name: visits(seed, counts[schema.ANALYTICS.name], now),
        schema.TASKS.name: tasks(seed, counts[schema.TASKS.name], now, cast),
        schema.CUSTOMERS.name: customers(seed, counts[schema.CUSTOMERS.name], now, cast),
        schema.DIRECTORY.name: [(employee.address,) for employee in cast.everyone],
    }
