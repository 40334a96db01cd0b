"""A client tries what its industry buys, for a use that it has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.products import foreign_products, kind_of
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.clients import WORDS
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.sentences import read


def incoherent_client(client: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the client's industry or to the product that it tries."""
    text = client["engagement_description"]
    products = facts.where("products", product_name=client["current_poc_product"])
    if not products or client["current_poc_product"] not in text:
        yield "the product on trial is not that of the description"
        return
    kind = kind_of(products[0], facts.industry)
    uses = facts.industry.clients[client["industry"]]["uses"].get(kind, [])
    if not any(f"for {use}".lower() in text.lower() for use in uses):
        yield f"{client['industry']} has no such use for a {kind}"
    yield from industry_of(client, text, facts.industry)
    yield from foreign_products(text, kind, facts.industry)
    for stage in read(WORDS, "stage", text):
        for step in read(WORDS, "next_step", text):
            if step not in WORDS.data["steps"][stage]:
                yield f"{step!r} is no step of {stage!r}"


def industry_of(client: Record, text: str, company: Industry) -> Iterator[str]:
    """Sentences of `text` about another industry than the client's."""
    for phrase, industries in _scenes(company).found(text):
        if client["industry"] not in industries:
            yield f"{phrase!r} is not said of {client['industry']}"


@cache
def _scenes(company: Industry) -> Phrases[str]:
    return Phrases((line, industry) for industry, data in company.clients.items() for line in data["scene"])
