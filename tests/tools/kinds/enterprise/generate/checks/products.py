"""Checks of products."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.products import _WORDS
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent, industry: Industry) -> list[str]:
    """Facts that the description does not state; colours and warranties that the kind has not."""
    kind = next(each for each in industry.catalogue["kinds"] if each["category"] == record["category"])
    wrong = [
        f"{latent.ref}: {kind['name']} with {fact} {latent.facts[fact]}"
        for fact, values in (("colour", kind.get("colours")), ("warranty", kind.get("warranties")))
        if values and latent.facts[fact] not in values
    ]
    return wrong + problems(_WORDS, latent.ref, str(record["about_product"]), latent.facts, latent.facts)
