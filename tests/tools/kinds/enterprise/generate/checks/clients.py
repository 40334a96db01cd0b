"""Checks of clients."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.clients import WORDS
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent, _: Industry) -> list[str]:
    """Facts that the description does not state."""
    return problems(WORDS, latent.ref, str(record["engagement_description"]), latent.facts, latent.facts)
