"""Checks of conversations."""

from __future__ import annotations

from tests.tools.kinds.enterprise.generate.checks.links import unnamed
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.stated.sentences import problems, read


def verify_conversations(built: Built) -> list[str]:
    """Facts that a chat does not state, and topics of which somebody has two chats."""
    words = grammar("conversations")
    rows = {row["conversation_id"]: row for row in built.records("conversations")}
    found: list[str] = []
    seen: set[tuple[str | None, str, str]] = set()
    for latent in built.latents_of("conversations"):
        row = rows[latent.ref.partition("/")[2]]
        text, facts = row["text"] or "", latent.facts
        slots = [slot for slot in words.data["slots"][latent.kind] if slot in facts]
        found += problems(words, latent.ref, text, facts, slots)
        outcomes = read(words, f"outcome_{latent.kind}", text, "outcome")
        if outcomes != {facts["outcome"]}:
            found.append(f"{latent.ref}: its outcome is not clear: {outcomes}")
        found += [f"{latent.ref}: no {key}" for key in ("topic", "project") if facts[key] not in text]
        found += unnamed(built, latent, text)
        for person in (row["sender_emp_id"], row["recipient_emp_id"]):
            if (person, facts["project"], facts["topic"]) in seen:
                found.append(f"{latent.ref}: a second chat of {person} on {facts['topic']}")
            seen.add((person, facts["project"], facts["topic"]))
    return found
