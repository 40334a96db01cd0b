"""Drawing periods and days: as often of each kind as in the published questions.

The table `[draw]` of a family's TOML file has `kinds`, the weights of `week`, `month`, `quarter` and `year`
(back from today) and of `named_month`, `named_quarter` and `season`; for the former `counts.KIND`, weights of
how many; for the latter `names.KIND`, weights of which, and `years`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import Any

from evals.kinds.crm.books import Books
from evals.kinds.crm.family import Doubt, Mode
from evals.kinds.crm.periods import Period

LAST_FAITHFUL_DAY = date(2024, 12, 31)
"""The published questions are asked up to here, and later, though the records end before."""


def weighted(table: Mapping[str, float], random: Random) -> str:
    """One of the names by weight."""
    return random.choices(list(table), list(table.values()))[0]


def draw_period(table: Mapping[str, Any], kind: str, random: Random) -> Period:
    """A period of a kind."""
    if kind in table["counts"]:
        return Period(count=int(weighted(table["counts"][kind], random)), unit=kind)
    return Period(name=weighted(table["names"][kind], random), year=int(weighted(table["years"], random)))


def draw_today(period: Period, books: Books, mode: Mode, random: Random) -> date | Doubt:
    """A day to ask on: in clean mode one for which the period is over and wholly within the records."""
    if mode == "faithful":
        return _between(books.first_day + timedelta(days=3), LAST_FAITHFUL_DAY, random)
    if not period.relative:
        end = period.window(books.snapshot).end.date()
        return _between(end, books.snapshot, random) if end <= books.snapshot else Doubt("period not over")
    today = _between(books.first_day, books.snapshot, random)
    return today if period.back(today) >= books.first_day else Doubt("period before the records")


def asked_on(period: Period, today: date) -> dict[str, str]:
    """The slots `period` and, where the truth depends on it, `today`."""
    return {"period": period.text, **({"today": today.isoformat()} if period.relative else {})}


def _between(first: date, last: date, random: Random) -> date:
    return first + timedelta(days=random.randint(0, (last - first).days))
