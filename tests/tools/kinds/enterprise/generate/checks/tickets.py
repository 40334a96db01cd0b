"""Checks of tickets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from worksmith.tools.kinds.enterprise.generate.business.problems import problems
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.tickets import LIMITS

_CLAUSE = re.compile(r"\b[A-Z]{2}-\d+\b")


def verify_tickets(built: Built) -> list[str]:
    """Facts that a ticket does not state."""
    rows = {row["ticket_id"]: row for row in built.records("tickets")}
    found = []
    seen: set[tuple[str | None, str, str]] = set()
    for latent in built.latents_of("tickets"):
        row, facts = rows[latent.ref.partition("/")[2]], latent.facts
        text = row["resolution"] or ""
        known = problems()[facts["category"]]
        stated = {cause for one in known for cause, _ in one.remedies if cause in text}
        if stated != ({facts["root_cause"]} if "root_cause" in facts else set()):
            found.append(f"{latent.ref}: the causes stated are {stated}")
        if set(_CLAUSE.findall(text)) != ({facts["clause"]} if "clause" in facts else set()):
            found.append(f"{latent.ref}: the clauses named are {_CLAUSE.findall(text)}")
        verdicts = {
            verdict
            for one in known
            for clause in one.clauses
            for verdict, words in (("obeyed", clause.obeyed), ("broken", clause.broken))
            if words in text
        }
        if verdicts != ({facts["clause_result"]} if "clause_result" in facts else set()):
            found.append(f"{latent.ref}: its clause is {verdicts}")
        found += _late(row, facts)
        found += [
            f"{latent.ref}: no {key}"
            for key in ("topic", "project", "symptom")
            if facts[key] not in str(row["issue"])
        ]
        key = (row["raised_by_emp_id"], facts["category"], facts["symptom"])
        if key in seen:
            found.append(f"{latent.ref}: the same person has another ticket like it")
        seen.add(key)
    return found


def _late(row: Mapping[str, str | None], facts: Mapping[str, str]) -> list[str]:
    """Whether dates and text disagree on the agreed time."""
    if row["closed_date"] is None:
        return [] if "sla" not in facts else [f"ticket {row['ticket_id']} is open and late"]
    took = (date.fromisoformat(row["closed_date"]) - date.fromisoformat(str(row["assigned_date"]))).days
    expected = "met" if took <= LIMITS[str(row["priority"])] else "missed"
    return [] if facts["sla"] == expected else [f"ticket {row['ticket_id']} took {took} days"]
