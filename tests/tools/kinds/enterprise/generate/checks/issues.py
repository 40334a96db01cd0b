"""Checks of issues."""

from __future__ import annotations

from tests.tools.kinds.enterprise.generate.checks.links import unnamed
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def verify_issues(built: Built) -> list[str]:
    """Facts that an issue does not state, and two issues on the same function of a file."""
    words = grammar("issues")
    rows = {row["issue_id"]: row for row in built.records("issues")}
    found: list[str] = []
    seen: set[tuple[str | None, str | None, str]] = set()
    for latent in built.latents_of("issues"):
        row = rows[latent.ref.partition("/")[2]]
        text = row["description"] or ""
        slots = [slot for slot in words.data["say"] if slot in latent.facts]
        found += problems(words, latent.ref, text, latent.facts, slots)
        found += [f"{latent.ref}: no {key}" for key in ("topic", "project") if latent.facts[key] not in text]
        found += unnamed(built, latent, f"{text} {row['repo_name']}:{row['path']}")
        key = (row["repo_name"], row["path"], latent.facts["function"])
        if key in seen:
            found.append(f"{latent.ref}: another issue is about the same function")
        seen.add(key)
    return found
