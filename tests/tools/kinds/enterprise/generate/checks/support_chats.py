"""Checks of support chats."""

from __future__ import annotations

from collections.abc import Mapping

from tests.tools.kinds.enterprise.generate.checks.sentences import problems, read
from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.business.support_chats import _WORDS, PROMISES


def check(record: Mapping[str, str | None], latent: Latent) -> list[str]:
    """Facts that the chat does not state, read by rules alone."""
    text, facts = str(record["text"]), latent.facts
    found = problems(
        _WORDS, latent.ref, text, facts, [s for s in ("order", "bought", "amount", "lead") if s in facts]
    )
    dues = {promise: read(_WORDS, promise, text) for promise in PROMISES.values()}
    stated = {(promise, due) for promise, days in dues.items() for due in days}
    wanted = {(facts["promise"], facts["due"])} if "due" in facts else set()
    if stated != wanted:
        found.append(f"{latent.ref}: promised is {wanted}, the text says {sorted(stated)}")
    given_up = any(sentence in text for sentence in _WORDS.data["turns"]["unresolved"])
    if given_up != (facts["outcome"] == "unresolved"):
        found.append(f"{latent.ref}: the outcome is {facts['outcome']}, the text says otherwise")
    lowered = text.lower()
    for name in ("problem", "fix", "tip"):
        if name in facts and facts[name] not in text:
            found.append(f"{latent.ref}: {name} is {facts[name]!r}, the text does not say so")
    asked = f"the {facts['aspect']}"
    if asked not in lowered:
        found.append(f"{latent.ref}: nothing about {asked}")
    return found
