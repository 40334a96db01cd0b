"""A vendor supplies what its industry can."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.vendors import vendor_grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.sentences import read


def incoherent_vendor(vendor: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the vendor's industry, or to what it supplies."""
    text, industry = vendor["relationship_description"], facts.industry.vendors[vendor["industry"]]
    words = vendor_grammar(facts.industry)
    supplies = [one for one in read(words, "supplies", text) if one in industry["supplies"]]
    if len(supplies) != 1:
        yield f"{vendor['industry']} supplies no such thing"
        return
    if vendor["business_type"] not in industry["types"]:
        yield f"{vendor['business_type']} is no business of {vendor['industry']}"
    for concern in read(words, "concern", text):
        if concern not in [*industry["concerns"], *industry["supplies"][supplies[0]]]:
            yield f"{concern!r} does not go with {supplies[0]}"
    for phrase, industries in _scenes(facts.industry).found(text):
        if vendor["industry"] not in industries:
            yield f"{phrase!r} is not said of {vendor['industry']}"


@cache
def _scenes(company: Industry) -> Phrases[str]:
    return Phrases((line, industry) for industry, data in company.vendors.items() for line in data["scene"])
