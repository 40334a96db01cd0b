"""Checks of mail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.tools.kinds.enterprise.generate.checks.links import unnamed
from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.talk.mail import mail_grammar
from worksmith.tools.kinds.enterprise.generate.talk.partner_mail import partner_grammar
from worksmith.tools.kinds.enterprise.stated.sentences import read


def verify_mail(built: Built) -> list[str]:
    """Facts that a mail does not state, subjects that do not name them, threads about the same."""
    rows = {row["email_id"]: row for row in built.records("mail")}
    found: list[str] = []
    about: dict[tuple[str, str, str], str] = {}
    for latent in built.latents_of("mail"):
        row, facts = rows[latent.ref.partition("/")[2]], latent.facts
        body = row["body"] or ""
        if "partner" in facts:
            found += _with_partner(latent, row)
            matter = (facts["partner"], latent.kind, facts["aspect"])
            if about.setdefault(matter, facts["thread"]) != facts["thread"]:
                found.append(f"{latent.ref}: another thread is about the same")
            continue
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


def _with_partner(latent: Latent, row: Mapping[str, str | None]) -> Iterator[str]:
    """Faults of a mail with somebody outside: sides, subject, what it states."""
    facts, body = latent.facts, row["body"] or ""
    if "value" in facts:
        stated = read(partner_grammar(), facts["role"], body, "value")
        if stated != {facts["value"]}:
            yield f"{latent.ref}: value is {facts['value']!r}, the text says {stated}"
    for key in ("goods", "aspect"):
        if facts[key].casefold() not in (row["subject"] or "").casefold():
            yield f"{latent.ref}: no {key}"
    outside = {row[f"{side}_name"] for side in ("sender", "recipient") if row[f"{side}_emp_id"] is None}
    if outside != {facts["contact"]}:
        yield f"{latent.ref}: outside are {outside}, not {facts['contact']}"
