"""Checks of sentiments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.sentences import problems
from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.business.sentiments import _PHRASES, _VALUES, _WORDS
from tools.kinds.enterprise.generate.wording import fill, texts


def check(record: Mapping[str, str | None], latent: Latent) -> list[str]:
    """Facts that the review does not state, read by rules alone."""
    text = str(record["review_content"])
    facts = latent.facts
    found = problems(_WORDS, latent.ref, text, facts, ["stars"])
    stated = {opinion for opinion, pattern in _opinions().items() if pattern.search(text)}
    wanted = {(facts["polarity"], facts["severity"], facts["aspect"])}
    if stated != wanted:
        found.append(f"{latent.ref}: the opinion is {wanted}, the text says {sorted(stated)}")
    later = any(pattern.search(text) for pattern in _follow_ups())
    if later != (facts["follow_up"] == "yes"):
        found.append(f"{latent.ref}: follow-up is {facts['follow_up']!r}, the text says otherwise")
    return found


@cache
def _opinions() -> dict[tuple[str, str, str], re.Pattern[str]]:
    """How each polarity, severity and part looks in a text."""
    found = {}
    for opinion, forms in _WORDS.data["opinions"].items():
        polarity, _, severity = opinion.partition("_")
        phrase = _PHRASES[polarity]
        for part, phrases in texts("parts").items():
            sentences = [
                fill(form, {"aspect": part, phrase: said}) for form in forms for said in phrases[phrase]
            ]
            pattern = "|".join(re.escape(sentence) for sentence in sentences)
            found[_VALUES[polarity], severity, part] = re.compile(pattern)
    return found


@cache
def _follow_ups() -> list[re.Pattern[str]]:
    forms = _WORDS.data["other"]["follow_up"]
    return [re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(form))) for form in forms]
