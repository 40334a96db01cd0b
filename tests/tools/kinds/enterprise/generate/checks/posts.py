"""Checks of posts."""

from __future__ import annotations

from tests.tools.kinds.enterprise.generate.checks.sentences import problems
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import Built


def verify_posts(built: Built) -> list[str]:
    """Facts that a post does not state, and two posts of one kind on one topic of a project."""
    words = grammar("posts")
    rows = {row["post_id"]: row for row in built.records("posts")}
    found: list[str] = []
    seen: set[tuple[str, str, str]] = set()
    for latent in built.latents_of("posts"):
        row, facts = rows[latent.ref.partition("/")[2]], latent.facts
        found += problems(words, latent.ref, row["body"] or "", facts, words.data["kinds"][latent.kind])
        found += [
            f"{latent.ref}: no {key}" for key in ("topic", "project") if facts[key] not in str(row["body"])
        ]
        key = (facts["project"], facts["topic"], latent.kind)
        if key in seen:
            found.append(f"{latent.ref}: a second post of its kind")
        seen.add(key)
    return found
