"""The web site visits of a generated office."""

from __future__ import annotations

from datetime import datetime, timedelta

from tools.kinds.office.schema import TRAFFIC_SOURCES, Row
from tools.seeding import rng

DAYS = 90
_VISITORS = 9999
_SOURCE_WEIGHTS = (0.5, 0.1, 0.1, 0.3)
_MEAN_SECONDS = 20
_MEAN_FURTHER_PAGES = 5


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
        pages = int(numbers.expovariate(1 / _MEAN_FURTHER_PAGES)) + 1
        source = numbers.choices(TRAFFIC_SOURCES, _SOURCE_WEIGHTS)[0]
        day = (now - timedelta(days=days_back)).date().isoformat()
        engaged = str(seconds > 10 and pages > 1)
        rows.append((day, f"{visitor:04d}", str(pages), str(seconds), source, engaged))
    numbers.shuffle(rows)
    return rows
