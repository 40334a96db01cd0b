"""Checks of sentiments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.opinions import opinions
from tests.tools.kinds.enterprise.generate.checks.sentences import problems
from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.business.sentiments import _VALUES, _WORDS


def check(record: Mapping[str, str | None], latent: Latent) -> list[str]:
    """Facts that the review does not state, read by rules alone."""
    text = str(record["review_content"])
    facts = latent.facts
    found = problems(_WORDS, latent.ref, text, facts, ["stars"])
    stated = [{(one.band, one.part) for one in meant} for meant in opinions(text)]
    polarity = next(name for name, value in _VALUES.items() if value == facts["polarity"])
    wanted = {(f"{polarity}_{facts['severity']}", facts["aspect"])}
    if stated != [wanted]:
        found.append(f"{latent.ref}: the opinion is {wanted}, the text says {stated}")
    later = any(pattern.search(text) for pattern in _follow_ups())
    if later != (facts["follow_up"] == "yes"):
        found.append(f"{latent.ref}: follow-up is {facts['follow_up']!r}, the text says otherwise")
    return found


@cache
def _follow_ups() -> list[re.Pattern[str]]:
    forms = _WORDS.data["openings"]["follow_up"]
    return [re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(form))) for form in forms]
