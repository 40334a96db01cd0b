"""Checks of repositories."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from worksmith.tools.kinds.enterprise.generate.code.subjects import subject
from worksmith.tools.kinds.enterprise.generate.latent import Built


def verify_repositories(built: Built) -> list[str]:
    """Facts that a file does not state, code about another topic than the file's, and code that is none."""
    rows = {row["file_id"]: row for row in built.records("repositories")}
    return [
        f"{latent.ref}: {fault}"
        for latent in built.latents_of("repositories")
        for fault in _faults(latent.kind, rows[latent.ref.partition("/")[2]]["code"] or "", latent.facts)
    ]


def _faults(language: str, code: str, facts: dict[str, str]) -> Iterator[str]:
    yield from (f"no {fact}" for fact in ("project", "topic") if not _says(code, facts[fact]))
    for name in facts.get("functions", "").split(", "):
        if name and not re.search(rf"(?:def |function |^){name}\(", code, re.MULTILINE):
            yield f"no function {name}"
    if not _says(code.replace("_", " "), subject(facts["topic"])["many"].replace("_", " ")):
        yield "the code is about something else than its topic"
    if language == "Python":
        try:
            ast.parse(code)
        except SyntaxError:
            yield "the code cannot be parsed"


def _says(code: str, words: str) -> bool:
    """Whether these words stand somewhere, though on several lines or in a comment."""
    plain = " ".join(re.sub(r"^(?://|--|#)", "", line) for line in code.splitlines())
    return " ".join(words.casefold().split()) in " ".join(plain.casefold().split())
