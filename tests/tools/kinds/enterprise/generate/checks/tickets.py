"""Checks of tickets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from tools.kinds.enterprise.generate.latent import Built
from tools.kinds.enterprise.generate.tickets import LIMITS
from tools.kinds.enterprise.generate.wording import texts


def verify_tickets(built: Built) -> list[str]:
    """Facts that a ticket does not state."""
    rows = {row["ticket_id"]: row for row in built.records("tickets")}
    words = texts("tickets")
    found = []
    seen: set[tuple[str | None, str, str]] = set()
    for latent in built.latents_of("tickets"):
        row, facts = rows[latent.ref.partition("/")[2]], latent.facts
        text = row["resolution"] or ""
        stated = {cause for cause, _ in words["categories"][facts["category"]]["causes"] if cause in text}
        if stated != ({facts["root_cause"]} if "root_cause" in facts else set()):
            found.append(f"{latent.ref}: the causes stated are {stated}")
        for clause, obeyed, broken in words["categories"][facts["category"]]["clauses"]:
            verdict = "obeyed" if obeyed in text else "broken" if broken in text else None
            if verdict != (facts.get("clause_result") if clause == facts.get("clause") else None):
                found.append(f"{latent.ref}: clause {clause} is {verdict}")
            if (clause in text) != (clause == facts.get("clause")):
                found.append(f"{latent.ref}: clause {clause} is named wrongly")
        found += _late(row, facts)
        found += [
            f"{latent.ref}: no {key}" for key in ("topic", "project") if facts[key] not in str(row["issue"])
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
