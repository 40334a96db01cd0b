"""Checks of vendors."""

from __future__ import annotations

from collections.abc import Mapping

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.business.vendors import WORDS
from tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent) -> list[str]:
    """Facts that the description does not state."""
    return problems(WORDS, latent.ref, str(record["relationship_description"]), latent.facts, latent.facts)
