"""Checks of policies."""

from __future__ import annotations

import re

from worksmith.tools.kinds.enterprise.generate.company import LEAVES
from worksmith.tools.kinds.enterprise.generate.latent import Built
from worksmith.tools.kinds.enterprise.generate.policies import _UNVALUED, _bound, _joined


def verify_policies(built: Built) -> list[str]:
    """Clauses whose page does not state them, or differently from the table at the end of the document."""
    rows = built.records("policies")
    by_page = {row["page_id"]: _joined(row["text"] or "") for row in rows}
    by_policy: dict[str, str] = {}
    for row in rows:
        by_policy[str(row["policy_id"])] = (
            f"{by_policy.get(str(row['policy_id']), '')} {_joined(row['text'] or '')}"
        )
    found: list[str] = []
    granted = {latent.facts["subject"]: latent.facts["value"] for latent in built.latents_of("policies")}
    for kind, days in LEAVES.items():
        if granted.get(f"{kind} leave a year") != str(days):
            found.append(f"policies: {kind} leave is not what employees have")
    for latent in built.latents_of("policies"):
        facts = latent.facts
        page = by_page[latent.ref.partition("/")[2]]
        stated = re.search(rf"{facts['clause']} [^.]+\. (?P<sentence>.+?)(?: [A-Z]{{2}}-\d| \d\. |$)", page)
        if stated is None:
            found.append(f"{latent.ref}: no clause {facts['clause']}")
        elif (
            facts["operator"] not in _UNVALUED
            and f"{facts['value']} {facts['unit']}" not in stated["sentence"]
        ):
            found.append(f"{latent.ref}: {facts['clause']} reads {stated['sentence']!r}")
        entries = re.findall(rf"{facts['clause']}: ([^;]+); ([^;]+); ([^;]*)\.", by_policy[facts["policy"]])
        value = facts["operator"] if facts["operator"] in _UNVALUED else f"{facts['value']} {facts['unit']}"
        if [entry[:2] for entry in entries] != [(facts["subject"], _bound(facts["operator"], value))]:
            found.append(f"{latent.ref}: {facts['clause']} stands in the table as {entries}")
    return found
