"""The products of a generated enterprise."""

from __future__ import annotations

import random
from typing import Any

from worksmith.tools.kinds.enterprise.generate.business.reviews import kind_reviews
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Product
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import fill, pick, vary, with_article

_WORDS = grammar("products")
_DISCOUNTS = ((0, 5, 10, 15, 20, 25, 30, 40, 50, 60), (1, 2, 4, 4, 4, 3, 3, 2, 1, 0.5))
_SOLD_OUT = 0.03
_FEATURES = 4
"""How many sentences about its kind a description has."""


def add_products(draft: Draft) -> None:
    """Products with different names; kinds differ in how many there are of them."""
    numbers = draft.rng("products")
    kinds = draft.industry.catalogue["kinds"]
    popular = [1.0 / (1 + place) ** 0.35 for place in range(len(kinds))]
    numbers.shuffle(popular)
    chosen = [*kinds, *numbers.choices(kinds, popular, k=max(0, draft.counts.products - len(kinds)))]
    numbers.shuffle(chosen)
    names: set[str] = set()
    for number, kind in enumerate(chosen[: draft.counts.products], start=1):
        _add(draft, draft.rng("products", number), f"PRD-{number:04d}", kind, names)


def _add(
    draft: Draft, numbers: random.Random, product_id: str, kind: dict[str, Any], names: set[str]
) -> None:
    name, slots = _variant(draft.industry, numbers, kind)
    while name in names:
        name, slots = _variant(draft.industry, numbers, kind)
    names.add(name)
    product = _product(numbers, product_id, name, kind, slots["brand"])
    draft.products.append(product)
    facts = {
        "spec": slots["spec"],
        "colour": slots["colour"],
        "warranty": numbers.choice(kind.get("warranties") or draft.industry.catalogue["warranties"]),
        "origin": numbers.choice(draft.industry.catalogue["origins"]),
    }
    ref = draft.add(
        "products",
        product_id=product_id,
        product_name=name,
        category=product.category,
        discounted_price=product.price,
        actual_price=product.list_price,
        rating=f"{min(4.9, max(1.5, 1.9 + 2.9 * product.quality + numbers.gauss(0, 0.15))):.1f}",
        stock=0 if numbers.random() < _SOLD_OUT else round(numbers.lognormvariate(4.2, 1.0)),
        about_product=_about(draft.industry, numbers, product, slots, facts),
    )
    draft.latent(ref, "product", facts)


def _variant(industry: Industry, numbers: random.Random, kind: dict[str, Any]) -> tuple[str, dict[str, str]]:
    catalogue = industry.catalogue
    slots = {
        "brand": numbers.choice(catalogue["brands"]),
        "series": numbers.choice(catalogue["series"]),
        "spec": numbers.choice(kind["specs"]),
        "colour": numbers.choice(kind.get("colours") or _WORDS.data["pools"]["colour"]),
        "kind": kind["name"],
        "short": kind["short"],
        "a_kind": with_article(kind["name"]),
        "use": kind["use"],
    }
    words = " ".join(word[0].upper() + word[1:] for word in kind["name"].split())
    return f"{slots['brand']} {slots['series']} {words}, {slots['spec']}, {slots['colour']}", slots


def _product(numbers: random.Random, product_id: str, name: str, kind: dict[str, Any], brand: str) -> Product:
    cheapest, dearest = kind["prices"]
    wanted = cheapest + (dearest - cheapest) * numbers.betavariate(1.6, 3.0)
    price = _priced(wanted)
    discount = numbers.choices(*_DISCOUNTS)[0]
    return Product(
        product_id=product_id,
        name=name,
        brand=brand,
        category=kind["category"],
        kind=kind["name"],
        short=kind["short"],
        parts=tuple(kind["parts"]),
        price=price,
        list_price=price if discount == 0 else max(price + 1, _priced(price / (1 - discount / 100))),
        quality=numbers.betavariate(3.2, 1.8),
    )


def _priced(amount: float) -> int:
    """As shops write prices: ending in 9 below a thousand, in 49 or 99 above."""
    if amount < 1000:
        return max(49, 10 * round(amount / 10) - 1)
    return 50 * round(amount / 50) - 1


def _about(
    industry: Industry,
    numbers: random.Random,
    product: Product,
    slots: dict[str, str],
    facts: dict[str, str],
) -> str:
    part = numbers.choice(product.parts)
    good = kind_reviews(industry, product.kind).parts[part]["good"]
    slots = slots | facts | {"part": part, "good": numbers.choice(good)}
    other = _WORDS.data["other"]
    praise = [pick(numbers, other["part"], slots)]
    for form in numbers.sample(industry.features[product.kind], _FEATURES):
        praise.append(fill(vary(numbers, form), slots))
    stated = [_WORDS.say(numbers, slot, slots) for slot in facts]
    for sentences in (praise, stated):
        numbers.shuffle(sentences)
    return " ".join([pick(numbers, other["opening"], slots), *praise, *stated])
