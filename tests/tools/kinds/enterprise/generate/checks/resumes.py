"""Checks of resumes."""

from __future__ import annotations

from collections.abc import Mapping

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.industry import Industry
from tools.kinds.enterprise.generate.people.resumes import _WORDS
from tools.kinds.enterprise.stated.sentences import problems


def check(record: Mapping[str, str | None], latent: Latent, _: Industry) -> list[str]:
    """Facts that the resume does not state."""
    return problems(_WORDS, latent.ref, str(record["content"]), latent.facts, latent.facts)
