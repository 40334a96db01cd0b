"""The problems that tickets are about: what belongs together in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worksmith.tools.kinds.enterprise.generate.wording import texts


@dataclass(frozen=True)
class Clause:
    """A policy clause that the work on a problem can obey or break, and the circumstances."""

    id: str
    obeyed: str
    broken: str


@dataclass(frozen=True)
class Problem:
    """One trouble of a category of tickets.

    Attributes:
        work: how the user's other work comes in: a key of `[work]`.
        symptoms: wordings of what the user sees.
        details: what the user adds; each fits every wording.
        remedies: pairs of a cause and a remedy.
        advice: the last words to the user.
        waiting: what stands in the ticket while it is open.
    """

    category: str
    name: str
    work: str
    symptoms: tuple[str, ...]
    details: tuple[str, ...]
    remedies: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]
    waiting: tuple[str, ...]
    clauses: tuple[Clause, ...]


@cache
def problems() -> dict[str, tuple[Problem, ...]]:
    """All problems by category."""
    return {
        category: tuple(_problems(category, texts(f"tickets/{file}")))
        for category, file in texts("tickets/words")["categories"].items()
    }


def _problems(category: str, data: dict[str, Any]) -> Iterator[Problem]:
    clauses = {name: Clause(*words) for name, words in data["clauses"].items()}
    for one in data["problems"]:
        yield Problem(
            category,
            one["name"],
            one["work"],
            tuple(one["symptoms"]),
            tuple(one["details"]),
            tuple(zip(one["causes"], one["done"], strict=True)),
            tuple(one["advice"]),
            tuple(one["waiting"]),
            tuple(clauses[name] for name in one["clauses"]),
        )
