"""What the company sells, in categories."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.entities import Product
from tools.kinds.crm.generate.wording import texts

_DISCONTINUED = 0.06


@dataclass(frozen=True)
class _Named:
    """A product before its latent variables: its category, kind and name."""

    category: int
    kind: list[str]
    line: str
    name: str


def add_products(draft: Draft) -> None:
    """Categories, products with their latent variables, and the one or two categories that each is in."""
    numbers = draft.rng("products")
    categories = texts("products")["categories"]
    catalogue = draft.id_of(texts("company")["catalogue_prefix"])
    ids = []
    for category in categories:
        ids.append(
            draft.add(
                "ProductCategory", Id=draft.id("ProductCategory"), Name=category["name"], CatalogId=catalogue
            )
        )
        draft.categories.append(category["name"])
    total = draft.counts.products
    popularity = [(rank + 6) ** -0.95 for rank in range(total)]
    numbers.shuffle(popularity)
    doubled = set(numbers.sample(range(total), draft.counts.category_links - total))
    named = _names(numbers, categories)
    for number in range(total):
        product = _product(draft, numbers, next(named), popularity[number], number in doubled)
        draft.products.append(product)
        for category in product.categories:
            draft.add(
                "ProductCategoryProduct",
                Id=draft.id("ProductCategoryProduct"),
                ProductCategoryId=ids[category],
                ProductId=product.id,
            )


def _names(numbers: random.Random, categories: list[dict[str, Any]]) -> Iterator[_Named]:
    """Products in random order, categories in turn; later generations of a name get a number."""
    lines = texts("products")["lines"].split()
    pairs = [[(kind, line) for kind in category["kinds"] for line in lines] for category in categories]
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
    words = texts("products")
    category = words["categories"][named.category]
    weights = [policy["weight"] for policy in texts("policies")["policies"]]
    also = [draft.categories.index(numbers.choice(category["also"]))] if doubled else []
    weakspots = numbers.choices(range(len(weights)), weights, k=2)
    low, high = category["price"]
    product = Product(
        id=draft.id("Product2"),
        name=named.name,
        kind=named.kind[0],
        soft=(named.kind[1], named.kind[2]),
        color=numbers.choice(words["colors"]),
        material=numbers.choice(words["materials"]),
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
        Description=_description(numbers, product, named),
        IsActive=numbers.random() >= _DISCONTINUED,
        External_ID__c=f"SKU-{number:05d}",
        ProductCode=f"LF-{named.kind[0][:2].upper()}-{number:05d}",
        Family=category["family"],
    )
    _note(draft, product)
    return product


def _description(numbers: random.Random, product: Product, named: _Named) -> str:
    first, second = product.soft
    form: str = numbers.choice(texts("products")["description"])
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
