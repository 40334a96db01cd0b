"""Checks of resumes."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.people.resumes import _WORDS
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent, _: Industry) -> list[str]:
    """Facts that the resume does not state."""
    return problems(_WORDS, latent.ref, str(record["content"]), latent.facts, latent.facts)
