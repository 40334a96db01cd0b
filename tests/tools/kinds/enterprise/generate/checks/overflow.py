"""Checks of overflow."""

from __future__ import annotations

from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.stated.sentences import problems


def verify_overflow(built: Built) -> list[str]:
    """Facts that a question or answer does not state, and codes asked about twice."""
    words = grammar("overflow/words")
    rows = {row["post_id"]: row for row in built.records("overflow")}
    found: list[str] = []
    codes: set[str] = set()
    for latent in built.latents_of("overflow"):
        row = rows[latent.ref.partition("/")[2]]
        slot = "error_code" if latent.kind == "question" else "fix"
        found += problems(words, latent.ref, row["body"] or "", latent.facts, (slot,))
        if latent.kind == "question":
            text = f"{row['title']} {row['body']}"
            found += [
                f"{latent.ref}: no {key}"
                for key in ("error_code", "topic", "project", "problem")
                if latent.facts[key] not in text
            ]
            if latent.facts["error_code"] in codes:
                found.append(f"{latent.ref}: its code is taken")
            codes.add(latent.facts["error_code"])
            accepted = row["accepted_answer_id"]
            if accepted and rows[accepted]["parent_id"] != row["post_id"]:
                found.append(f"{latent.ref}: its accepted answer belongs to another question")
    return found
