"""Does anything leak? Tokens in every record and private field, hostile calls by personas of every kind.

Who may see a token is decided by rules in plain Python that share nothing with the policy and its engine.
A second hunt, with a filter that lets every record through, has to find leaks: else the first proves nothing.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

NAME = "canary"
DESCRIPTION = "tokens in every record, hostile calls by 200 personas: how many tokens reach the wrong eyes"

PERSONAS = 200
SCALE = 0.2


def run(quick: bool) -> dict[str, Any]:
    """Checks and leaks, with the policy and with its filter broken."""
    from evals.enterprise.canaries.hunt import Hunt, personas
    from evals.enterprise.canaries.world import broken_filter, planted_workshop

    with tempfile.TemporaryDirectory() as folder:
        workshop, planted = planted_workshop(Path(folder), seed=11, scale=0.02 if quick else SCALE)
        people = personas(workshop, planted, 40 if quick else PERSONAS)
        hunt = Hunt(workshop, planted)
        for who in people:
            hunt.persona(who, calls_per_tool=3 if quick else 6)
        broken = Hunt(workshop, planted)
        with broken_filter(workshop):
            for who in people[:20]:
                broken.persona(who, calls_per_tool=3)
    catch = hunt.catch
    return {
        "personas": len(people),
        "departments": len({who.department for who in people}),
        "levels": len({who.level for who in people}),
        "tokens": len(planted.spots),
        "calls": catch.calls,
        "texts": catch.texts,
        "checks": catch.checks,
        "allowed_tokens_seen": catch.seen,
        "leaks": len(catch.leaks),
        "leaks_by_tool": dict(Counter(surface for _, surface, _ in catch.leaks).most_common(10)),
        "leaks_with_broken_filter": len(broken.catch.leaks),
    }
