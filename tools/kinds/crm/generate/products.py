"""Products, their categories and their prices."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from worksmith.tools.kinds.crm.generate.company import DEFAULT_NOW, YEARS
from worksmith.tools.kinds.crm.generate.draft import Draft, written_cents
from worksmith.tools.kinds.crm.generate.entities import Product
from worksmith.tools.kinds.crm.generate.industry_file import CLEARANCE, Category, IndustryFile
from worksmith.tools.kinds.crm.generate.wording import texts

_DISCONTINUED = 0.06


@dataclass(frozen=True)
class _Named:
    """A product before its latent variables: its category, kind and name."""

    category: int
    kind: tuple[str, str, str, str]
    line: str
    name: str


def add_products(draft: Draft) -> None:
    """Categories, products with their latent variables, and the one or two categories that each is in."""
    numbers = draft.rng("products")
    categories = draft.industry.data.categories
    catalogue = draft.id_of(texts("company")["catalogue_prefix"])
    ids = []
    for category in categories:
        ids.append(
            draft.add(
                "ProductCategory", Id=draft.id("ProductCategory"), Name=category.name, CatalogId=catalogue
            )
        )
        draft.categories.append(category.name)
    total = draft.counts.products
    popularity = [(rank + 6) ** -0.95 for rank in range(total)]
    numbers.shuffle(popularity)
    doubled = set(numbers.sample(range(total), draft.counts.category_links - total))
    named = _names(numbers, categories, draft.industry.data.lines.split())
    for number in range(total):
        product = _product(draft, numbers, next(named), popularity[number], number in doubled)
        draft.products.append(product)
        for place in product.categories:
            draft.add(
                "ProductCategoryProduct",
                Id=draft.id("ProductCategoryProduct"),
                ProductCategoryId=ids[place],
                ProductId=product.id,
            )


def _names(numbers: random.Random, categories: list[Category], lines: list[str]) -> Iterator[_Named]:
    """Products in random order, categories in turn; later generations of a name get a number."""
    pairs = [[(kind, line) for kind in category.kinds for line in lines] for category in categories]
    for each in pairs:
        numbers.shuffle(each)
    turn = 0
    while True:
        category = turn % len(pairs)
        generation, place = divmod(turn // len(pairs), len(pairs[category]))
        kind, line = pairs[category][place]
        suffix = f" {generation + 1}" if generation else ""
        yield _Named(category, kind, line, f"{line} {kind[0]}{suffix}")
        turn += 1


def _product(
    draft: Draft, numbers: random.Random, named: _Named, popularity: float, doubled: bool
) -> Product:
    words = draft.industry.data
    category = words.categories[named.category]
    weights = [policy["weight"] for policy in draft.industry.policies]
    also = [draft.categories.index(numbers.choice(category.also))] if doubled else []
    weakspots = numbers.choices(range(len(weights)), weights, k=2)
    low, high = category.price
    product = Product(
        id=draft.id("Product2"),
        name=named.name,
        kind=named.kind[0],
        shape=draft.industry.shapes[named.kind[0]],
        soft=(named.kind[1], named.kind[2]),
        color=numbers.choice(words.colors),
        material=numbers.choice(category.materials_of(named.kind[0]) or words.materials),
        categories=(named.category, *also),
        popularity=popularity,
        burst=numbers.randrange(len(texts("company")["events"])),
        weakspots=(weakspots[0], weakspots[1]),
        price=numbers.randint(low, high) * 100 - 1,
    )
    number = len(draft.products) + 1
    draft.add(
        "Product2",
        Id=product.id,
        Name=product.name,
        Description=_description(words, numbers, product, named),
        IsActive=numbers.random() >= _DISCONTINUED,
        External_ID__c=f"SKU-{number:05d}",
        ProductCode=f"{words.code}-{named.kind[0][:2].upper()}-{number:05d}",
        Family=category.family,
    )
    _note(draft, product)
    return product


def _description(words: IndustryFile, numbers: random.Random, product: Product, named: _Named) -> str:
    first, second = product.soft
    form: str = numbers.choice(words.description)
    return form.format(
        noun=product.kind,
        line=named.line,
        soft_1=first,
        soft_1_capital=first[0].upper() + first[1:],
        soft_2=second,
        color=product.color,
        material=product.material,
        feature=named.kind[3],
    )


def _note(draft: Draft, product: Product) -> None:
    events = texts("company")["events"]
    issues = [policy["name"] for policy in texts("policies")["policies"]]
    draft.latent(
        "Product2",
        product.id,
        "product",
        {
            "kind": product.kind,
            "soft": product.soft,
            "color": product.color,
            "material": product.material,
            "popularity": product.popularity,
            "burst": events[product.burst]["name"],
            "weakspots": sorted({issues[place] for place in product.weakspots}),
            "categories": [draft.categories[place] for place in product.categories],
        },
    )


_SEASON_MONTHS = (3, 6, 9, 12)
_FOREVER = datetime(2030, 12, 31, 23, 59, 59)
_START = datetime(YEARS[0], 1, 1)

Book = tuple[str, str, float, datetime, datetime]
"""Name, purpose, factor on the list price, and first and last day."""


def add_prices(draft: Draft) -> None:
    """The standard book first, then those of seasons, regions and sales, with all their entries."""
    numbers = draft.rng("prices")
    for name, purpose, factor, start, end in _books(draft.industry.data.clearance):
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
        return 1 + seasonal + len(words["regional"]) + (region + day.month) % CLEARANCE
    year, season = (day.year, (day.month - 3) // 3) if day.month >= 3 else (day.year - 1, 3)
    return 1 + (year - YEARS[0]) * len(words["seasons"]) + season if year >= YEARS[0] else 0


def _books(clearance: list[str]) -> Iterator[Book]:
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
    for place, sale in enumerate(clearance):
        yield f"Clearance {sale}", f"Reduced prices: {sale.lower()}", 0.55 + 0.04 * place, _START, _FOREVER
