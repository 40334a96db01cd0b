"""What is said of products fits their kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases


def kind_of(product: Record, industry: Industry) -> str:
    """What a product is, e.g. `mixer grinder`."""
    return _kinds(industry)[product["category"]]


def kind_bought(record: Record, facts: Facts) -> str:
    """The kind of the product that a record names by id."""
    product = facts.get("products", record["product_id"])
    return kind_of(product, facts.industry) if product else "product that is not sold"


def foreign_products(text: str, kind: str, industry: Industry) -> Iterator[str]:
    """Sentences of `text` that are said of another kind of product."""
    for phrase, kinds in _phrases(industry).found(text):
        if kind not in kinds:
            yield f"{phrase!r} is not said of a {kind}"


@cache
def _kinds(industry: Industry) -> dict[str, str]:
    return {kind["category"]: kind["name"] for kind in industry.catalogue["kinds"]}


@cache
def _phrases(industry: Industry) -> Phrases[str]:
    return Phrases(
        (line, kind)
        for kind, lists in industry.launches.items()
        for lines in lists.values()
        for line in lines
    )
