"""The company that a generated org belongs to: its clock, its years, its size."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from worksmith.tools.errors import InputError

DEFAULT_NOW = datetime(2024, 6, 1)
"""The clock of a generated org: nothing in it happens later."""

YEARS = (2020, 2021, 2022, 2023, 2024)
SHORT_YEAR = YEARS[-1]
"""Ends with the clock: it has the shopping events of its first months only."""


LARGEST_SCALE = 50.0


@dataclass(frozen=True)
class Counts:
    """Numbers of records. At scale 1 those that the paper publishes, where it does."""

    users: int
    customers: int
    products: int
    category_links: int
    orders: int
    order_items: int
    cases: int
    chat_cases: int
    open_cases: int
    transfers: int
    violations: int
    emails: int


def counts(scale: float) -> Counts:
    """Numbers at `scale`. What others depend on has a floor."""
    if not 0 < scale <= LARGEST_SCALE:
        raise InputError(f"scale {scale:g} is not between 0 and {LARGEST_SCALE:g}", where="scale")

    def scaled(number: int, floor: int) -> int:
        return max(floor, round(number * scale))

    cases = scaled(977, 40)
    share = cases / 977
    return Counts(
        users=scaled(100, 15),
        customers=scaled(196, 12),
        products=scaled(500, 36),
        category_links=round(scaled(500, 36) * 762 / 500),
        orders=scaled(2071, 90),
        order_items=scaled(7100, 300),
        cases=cases,
        chat_cases=round(387 * share),
        open_cases=round(59 * share),
        transfers=round(111 * share),
        violations=round(170 * share),
        emails=round(3234 * share),
    )
