"""Texts of tasks: a phrasing in the persona's register, different from all earlier texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw
from worksmith.evals.kinds.enterprise.goals.goal import REGISTERS, Goal
from worksmith.evals.tasks.task import Split
from worksmith.tools.seeding import digest

NEAR = 0.8
"""The share of common trigrams above which two texts count as nearly the same."""


def query_text(phrasings: Sequence[str], draw: Draw, persona: Record, random: Random) -> tuple[int, str]:
    """The text of a task, in one of these phrasings that is in the persona's register.

    Returns:
        The number of the phrasing, and the text.
    """
    fitting = [place for place in range(len(phrasings)) if place % REGISTERS == register(persona)]
    place = random.choice(fitting or list(range(len(phrasings))))
    return place, phrasings[place].format_map(draw.slots)


def register(employee: Record) -> int:
    """The register of an employee, always the same: 0 casual, 1 brisk, 2 formal."""
    return int(digest(employee["emp_id"], 8), 16) % REGISTERS


class Texts:
    """The texts of the tasks so far."""

    def __init__(self) -> None:
        self._trigrams: dict[tuple[Split, str], list[frozenset[str]]] = defaultdict(list)
        self._queries: set[str] = set()

    def new(self, split: Split, goal: Goal, query: str) -> bool:
        """Whether no task has this text and, in the test split, no task of the same goal nearly the same."""
        if query in self._queries:
            return False
        if split != "test":
            return True
        mine = trigrams(query)
        return all(similarity(mine, other) <= NEAR for other in self._trigrams[split, _kind(goal)])

    def add(self, split: Split, goal: Goal, query: str) -> None:
        """Add the text of a task."""
        self._queries.add(query)
        self._trigrams[split, _kind(goal)].append(trigrams(query))


def trigrams(text: str) -> frozenset[str]:
    """All runs of three characters, in lower case and with single spaces."""
    folded = " ".join(text.lower().split())
    return frozenset(folded[start : start + 3] for start in range(len(folded) - 2))


def similarity(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of common trigrams among all trigrams of two texts (Jaccard), from 0 to 1."""
    return len(first & second) / len(first | second) if first or second else 1.0


def _kind(goal: Goal) -> str:
    """The name of a goal without its area: areas may share a goal and its wording."""
    return goal.id.partition(".")[2]
