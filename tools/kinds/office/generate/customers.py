"""The customers of a generated office."""

from __future__ import annotations

import math
import random
import string
from datetime import date, datetime, timedelta

from worksmith.tools.kinds.office.generate.names import Cast, pool, record_id
from worksmith.tools.kinds.office.schema import PRODUCTS, STATUSES, Row
from worksmith.tools.seeding import rng

_NAMES = 20
_LONGEST_SILENCE = 60
_FOLLOW_UP = (7, 30)
_MOST_NOTES = 3


def customers(seed: int, count: int, now: datetime, cast: Cast) -> list[Row]:
    """`count` customers with distinct names, the latest contacted first."""
    numbers = rng(seed, "office", "customers")
    texts = pool()["customers"]
    rows: list[Row] = []
    for number, name in enumerate(_names(numbers, count)):
        contact = now.date() - timedelta(days=numbers.randint(1, _LONGEST_SILENCE))
        company = numbers.choice(texts["company_starts"]) + numbers.choice(texts["company_ends"])
        rows.append(
            (
                record_id(number),
                numbers.choice(cast.sales).address,
                name,
                f"{name.lower().replace('. ', '.').replace(' ', '.')}@{company}.example",
                _phone(numbers) if numbers.random() < 0.5 else None,
                contact.isoformat(),
                numbers.choice(PRODUCTS),
                numbers.choice(STATUSES),
                (contact + timedelta(days=numbers.randint(*_FOLLOW_UP))).isoformat(),
                _notes(numbers, contact) or None,
            )
        )
    return sorted(rows, key=lambda row: str(row[5]), reverse=True)


def _names(numbers: random.Random, count: int) -> list[str]:
    """Twenty first names by twenty surnames serve 200 customers; more customers draw on more of both."""
    texts = pool()["customers"]
    wanted = math.ceil(_NAMES * math.sqrt(max(count / 200, 1)))
    firsts = numbers.sample(texts["first_names"], min(wanted, len(texts["first_names"])))
    lasts = numbers.sample(texts["surnames"], min(wanted, len(texts["surnames"])))
    middles = ["", *(f"{letter}. " for letter in string.ascii_uppercase)]
    needed = math.ceil(count / (len(firsts) * len(lasts)))
    names = [f"{first} {middle}{last}" for middle in middles[:needed] for first in firsts for last in lasts]
    return numbers.sample(names, count)


def _phone(numbers: random.Random) -> str:
    return f"{numbers.randint(200, 989)}-555-{numbers.randint(0, 9999):04d}"


def _notes(numbers: random.Random, contact: date) -> str:
    """Distinct notes in the order of the pool, which is that of a sale, up to the day of the last contact."""
    kinds = pool()["customers"]["notes"]
    chosen = sorted(numbers.sample(range(len(kinds)), numbers.randint(0, _MOST_NOTES)))
    days = sorted(contact - timedelta(days=numbers.randint(0, 60)) for _ in chosen)
    return " ".join(f"{day.isoformat()}: {kinds[one]}" for day, one in zip(days, chosen, strict=True))
