"""Checks of mail."""

from __future__ import annotations

from tests.tools.kinds.enterprise.generate.checks.links import unnamed
from tests.tools.kinds.enterprise.generate.checks.sentences import read
from tools.kinds.enterprise.generate.latent import Built
from tools.kinds.enterprise.generate.talk.mail import mail_grammar


def verify_mail(built: Built) -> list[str]:
    """Facts that a mail does not state, subjects that do not name them, threads about the same."""
    rows = {row["email_id"]: row for row in built.records("mail")}
    found: list[str] = []
    about: dict[tuple[str, str, str], str] = {}
    for latent in built.latents_of("mail"):
        row, facts = rows[latent.ref.partition("/")[2]], latent.facts
        body = row["body"] or ""
        if "value" in facts:
            slots = {
                "value": (f"{facts['role']}_{latent.kind}",),
                "decided_by": (f"by_{latent.kind}", f"own_{latent.kind}"),
            }
            for fact, sentences in slots.items():
                stated = set().union(*(read(mail_grammar(), one, body, fact) for one in sentences))
                if stated != ({facts[fact]} if fact in facts else set()):
                    found.append(f"{latent.ref}: {fact} is {facts.get(fact)!r}, the text says {stated}")
        subject = (row["subject"] or "").casefold()
        found += [f"{latent.ref}: no {key}" for key in ("topic", "project", "aspect")
                  if facts[key].casefold() not in subject]  # fmt: skip
        found += unnamed(built, latent, body)
        if (
            about.setdefault((facts["project"], facts["topic"], facts["aspect"]), facts["thread"])
            != facts["thread"]
        ):
            found.append(f"{latent.ref}: another thread is about the same")
    return found
