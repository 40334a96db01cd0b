"""Checks of sentiments."""

from __future__ import annotations

from collections.abc import Mapping

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business.sentiments import _VALUES, _WORDS
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.opinions import opinions
from worksmith.tools.kinds.enterprise.stated.sentences import problems
from worksmith.tools.kinds.enterprise.stated.texts import follow_ups


def check(record: Mapping[str, str | None], latent: Latent, industry: Industry) -> list[str]:
    """Facts that the review does not state, read by rules alone."""
    text = str(record["review_content"])
    facts = latent.facts
    found = problems(_WORDS, latent.ref, text, facts, ["stars"])
    stated = [{(one.band, one.part) for one in meant} for meant in opinions(text, industry)]
    polarity = next(name for name, value in _VALUES.items() if value == facts["polarity"])
    wanted = {(f"{polarity}_{facts['severity']}", facts["aspect"])}
    if stated != [wanted]:
        found.append(f"{latent.ref}: the opinion is {wanted}, the text says {stated}")
    later = follow_ups().any(text)
    if later != (facts["follow_up"] == "yes"):
        found.append(f"{latent.ref}: follow-up is {facts['follow_up']!r}, the text says otherwise")
    return found
