"""What is said of products fits their kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from evals.kinds.enterprise.facts import Facts, Record
from tools.kinds.enterprise.generate.wording import texts
from tools.kinds.enterprise.stated.phrases import Phrases


def kind_of(product: Record) -> str:
    """What a product is, e.g. `mixer grinder`."""
    return _kinds()[product["category"]]


def kind_bought(record: Record, facts: Facts) -> str:
    """The kind of the product that a record names by id."""
    product = facts.get("products", record["product_id"])
    return kind_of(product) if product else "product that is not sold"


def foreign_products(text: str, kind: str) -> Iterator[str]:
    """Sentences of `text` that are said of another kind of product."""
    for phrase, kinds in _phrases().found(text):
        if kind not in kinds:
            yield f"{phrase!r} is not said of a {kind}"


@cache
def _kinds() -> dict[str, str]:
    return {kind["category"]: kind["name"] for kind in texts("products")["kinds"]}


@cache
def _phrases() -> Phrases[str]:
    return Phrases(
        (line, kind)
        for kind, lists in texts("posts/products").items()
        for lines in lists.values()
        for line in lines
    )
