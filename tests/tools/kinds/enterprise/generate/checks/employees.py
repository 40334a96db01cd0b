"""Checks of employees."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.people.employees import _NONE, _WORDS
from worksmith.tools.kinds.enterprise.stated.sentences import problems, read


def check(record: Mapping[str, str | None], latent: Latent, _: Industry) -> list[str]:
    """Check that a biography states its facts.

    Returns:
        A sentence for each fact that is missing or wrong; empty if there is none.
    """
    text = f"{record['description']} {record['experience']}"
    facts = dict(latent.facts)
    if facts["certificates"] == _NONE:
        facts.pop("certificates")
        if read(_WORDS, "certificates", text):
            return [f"{latent.ref}: has certificates after all"]
    return problems(_WORDS, latent.ref, text, facts, facts)
