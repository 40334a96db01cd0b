"""A whole generated office."""

from __future__ import annotations

from datetime import datetime, timedelta

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.generate.calendar import events
from worksmith.tools.kinds.office.generate.customers import customers
from worksmith.tools.kinds.office.generate.mails import mails
from worksmith.tools.kinds.office.generate.names import draw_cast
from worksmith.tools.kinds.office.generate.tasks import task_names, tasks
from worksmith.tools.kinds.office.schema import BOARDS, TRAFFIC_SOURCES, Row
from worksmith.tools.seeding import rng

DAYS = 90
_VISITORS = 9999
_SOURCE_WEIGHTS = (0.5, 0.1, 0.1, 0.3)
_MEAN_SECONDS = 20
_MEAN_FURTHER_PAGES = 5
_LEAST_SECONDS = 2
"""Between two pages of a visit."""


def visits(seed: int, count: int, now: datetime) -> list[Row]:
    """`count` visits of the days up to yesterday, at least one a day, in no order."""
    numbers = rng(seed, "office", "visits")
    days = min(DAYS, max(14, count // 2), count)
    rows: list[Row] = []
    seen: set[tuple[int, int]] = set()
    while len(rows) < count:
        # One visit for each day first: a day without any would be missing in every series.
        days_back = len(rows) + 1 if len(rows) < days else numbers.randint(1, days)
        visitor = numbers.randrange(_VISITORS)
        if (days_back, visitor) in seen:
            continue
        seen.add((days_back, visitor))
        seconds = int(numbers.expovariate(1 / _MEAN_SECONDS))
        pages = min(int(numbers.expovariate(1 / _MEAN_FURTHER_PAGES)), seconds // _LEAST_SECONDS) + 1
        source = numbers.choices(TRAFFIC_SOURCES, _SOURCE_WEIGHTS)[0]
        day = (now - timedelta(days=days_back)).date().isoformat()
        engaged = str(seconds > 10 and pages > 1)
        rows.append((day, f"{visitor:04d}", str(pages), str(seconds), source, engaged))
    numbers.shuffle(rows)
    return rows


DEFAULT_NOW = datetime(2024, 10, 17)
DEFAULT_MAIL_DOMAIN = "brightwell.example"
"""A Thursday, midnight."""

SCALES = (0.05, 100.0)
"""Below the first there is too little of each kind, above the second customers run out of names."""

_COUNTS = {
    "calendar": 300,
    "email": 500,
    "analytics": 1000,
    "tasks": 300,
    "customers": 200,
}


def build(
    seed: int = 0,
    scale: float = 1.0,
    now: datetime = DEFAULT_NOW,
    mail_domain: str = DEFAULT_MAIL_DOMAIN,
) -> dict[str, list[Row]]:
    """The tables of a generated office, ready to be written as a world.

    Args:
        seed: decides all content; the same seed, scale and clock give the same tables.
        scale: multiplies the number of rows. Twenty employees and 48 event names stay.
        now: the clock of the world's episodes. All dates are relative to its day.
        mail_domain: of the employees' addresses.

    Raises:
        InputError: if the scale is out of range.
    """
    least, most = SCALES
    if not least <= scale <= most:
        raise InputError(f"the scale {scale} is not between {least} and {most}", where="scale")
    counts = {table: round(count * scale) for table, count in _COUNTS.items()}
    cast = draw_cast(seed, mail_domain)
    boards = {name: board for board in BOARDS for name in task_names(board)}
    return {
        "calendar": events(seed, counts["calendar"], now, cast),
        "email": mails(seed, counts["email"], now, cast, boards),
        "analytics": visits(seed, counts["analytics"], now),
        "tasks": tasks(seed, counts["tasks"], now, cast),
        "customers": customers(seed, counts["customers"], now, cast),
        "directory": [(employee.address,) for employee in cast.everyone],
    }
