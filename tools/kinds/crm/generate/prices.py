"""Price books: every product has a price in each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from tools.kinds.crm.generate.company import DEFAULT_NOW, YEARS
from tools.kinds.crm.generate.draft import Draft, written_cents
from tools.kinds.crm.generate.wording import texts

_SEASON_MONTHS = (3, 6, 9, 12)
_FOREVER = datetime(2030, 12, 31, 23, 59, 59)
_START = datetime(YEARS[0], 1, 1)

Book = tuple[str, str, float, datetime, datetime]
"""Name, what it is for, factor on the list price, and from when to when it holds."""


def add_prices(draft: Draft) -> None:
    """The standard book first, then those of seasons, regions and sales, with all their entries."""
    numbers = draft.rng("prices")
    for name, purpose, factor, start, end in _books():
        book = draft.id("Pricebook2")
        draft.add(
            "Pricebook2",
            Id=book,
            Name=name,
            Description=purpose,
            IsActive=end >= DEFAULT_NOW,
            IsStandard=not draft.books,
            ValidFrom=start,
            ValidTo=end,
        )
        draft.books.append(book)
        draft.entries.append({})
        for product in draft.products:
            spread = numbers.uniform(0.97, 1.03) if factor != 1 else 1.0
            cents = round(product.price * factor * spread)
            entry = draft.add(
                "PricebookEntry",
                Id=draft.id("PricebookEntry"),
                Name=product.name,
                Pricebook2Id=book,
                Product2Id=product.id,
                UnitPrice=written_cents(cents),
                IsActive=True,
            )
            draft.entries[-1][product.id] = (entry, cents)


def book_of(region: int, day: date, chance: float) -> int:
    """The number of the book that an order is priced with.

    Args:
        region: any number that stays the same for a customer.
        chance: from 0 to 1; decides whether the standard, a regional, a seasonal or a clearance book applies.
    """
    words = texts("company")["books"]
    seasonal = len(YEARS) * len(words["seasons"])
    if chance < 0.45:
        return 0
    if chance < 0.65:
        return 1 + seasonal + region % len(words["regional"])
    if chance > 0.9:
        return 1 + seasonal + len(words["regional"]) + (region + day.month) % len(words["clearance"])
    year, season = (day.year, (day.month - 3) // 3) if day.month >= 3 else (day.year - 1, 3)
    return 1 + (year - YEARS[0]) * len(words["seasons"]) + season if year >= YEARS[0] else 0


def _books() -> Iterator[Book]:
    words = texts("company")["books"]
    yield words["standard"], "List prices of all products", 1.0, _START, _FOREVER
    for year in YEARS:
        for season, month in zip(words["seasons"], _SEASON_MONTHS, strict=True):
            start = datetime(year, month, 1)
            end = datetime(year + (month + 2) // 12, (month + 2) % 12 + 1, 1)
            yield f"{season} {year}", f"Seasonal prices, {season.lower()} of {year}", 0.94, start, end
    for place, region in enumerate(words["regional"]):
        yield (
            f"Region {region}",
            f"Prices for customers in {region}",
            0.96 + 0.01 * (place % 9),
            _START,
            _FOREVER,
        )
    for place, sale in enumerate(words["clearance"]):
        yield f"Clearance {sale}", f"Reduced prices: {sale.lower()}", 0.55 + 0.04 * place, _START, _FOREVER
