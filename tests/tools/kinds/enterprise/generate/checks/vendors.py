"""Checks of vendors."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.vendors import vendor_grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent, industry: Industry) -> list[str]:
    """Facts that the description does not state."""
    return problems(
        vendor_grammar(industry),
        latent.ref,
        str(record["relationship_description"]),
        latent.facts,
        latent.facts,
    )
