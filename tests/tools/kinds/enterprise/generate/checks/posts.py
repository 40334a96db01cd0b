"""Checks of posts."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.talk.posts import post_grammar
from worksmith.tools.kinds.enterprise.stated.sentences import read


def verify_posts(built: Built) -> list[str]:
    """Facts that a post does not state, or states otherwise, and two posts that announce the same."""
    words = post_grammar(built.industry)
    rows = {row["post_id"]: row for row in built.records("posts")}
    found: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for latent in built.latents_of("posts"):
        body, facts = str(rows[latent.ref.partition("/")[2]]["body"]), latent.facts
        for slot in words.data["kinds"][latent.kind]["facts"]:
            stated = read(words, f"{slot}_{latent.kind}", body, slot)
            if stated != {facts[slot]}:
                found.append(f"{latent.ref}: {slot} is {facts[slot]!r}, the text says {sorted(stated)}")
        found += [f"{latent.ref}: no {key}" for key in ("topic", "project") if facts[key] not in body]
        key = (latent.kind, *latent.facts.values())
        if key in seen:
            found.append(f"{latent.ref}: a second post of its kind")
        seen.add(key)
    return found
