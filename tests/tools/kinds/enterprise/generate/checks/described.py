"""Checks of records with a description that states their facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.clients import WORDS
from worksmith.tools.kinds.enterprise.generate.business.vendors import vendor_grammar
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.people import resumes
from worksmith.tools.kinds.enterprise.stated.sentences import problems

DESCRIBED: dict[str, tuple[str, Callable[[Industry], Grammar]]] = {
    "clients": ("engagement_description", lambda _: WORDS),
    "vendors": ("relationship_description", vendor_grammar),
    "resumes": ("content", lambda _: resumes._WORDS),
}
"""By source the column of the description, and its grammar."""


def check(record: Mapping[str, str | None], latent: Latent, industry: Industry) -> list[str]:
    """Facts that the description does not state."""
    column, words = DESCRIBED[latent.ref.partition("/")[0]]
    return problems(words(industry), latent.ref, str(record[column]), latent.facts, latent.facts)
