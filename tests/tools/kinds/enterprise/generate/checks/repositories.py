"""Checks of repositories."""

from __future__ import annotations

import re

from tools.kinds.enterprise.generate.latent import Built


def verify_repositories(built: Built) -> list[str]:
    """Facts that a file does not state."""
    rows = {row["file_id"]: row for row in built.records("repositories")}
    found = []
    for latent in built.latents_of("repositories"):
        code = rows[latent.ref.partition("/")[2]]["code"] or ""
        for fact in ("project", "topic"):
            if latent.facts[fact].casefold() not in code.casefold():
                found.append(f"{latent.ref}: no {fact}")
        for name in latent.facts.get("functions", "").split(", "):
            if name and not re.search(rf"(?:def |function |^){name}\(", code, re.MULTILINE):
                found.append(f"{latent.ref}: no function {name}")
    return found
