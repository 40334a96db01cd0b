"""What tasks say: a phrasing in the persona's register, and nothing that was said before."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw
from evals.kinds.enterprise.goals.goal import REGISTERS, Goal
from evals.tasks.task import Split
from tools.seeding import digest

NEAR = 0.8
"""Two texts that share more than this of their trigrams say almost the same."""


def say(goal: Goal, split: Split, draw: Draw, me: Record, random: Random) -> tuple[int, str]:
    """A phrasing of the split in the persona's register, and the text; its number counts over the split."""
    phrasings = goal.wording.phrasings[split]
    fitting = [place for place in range(len(phrasings)) if place % REGISTERS == register(me)]
    place = random.choice(fitting or list(range(len(phrasings))))
    return place, phrasings[place].format_map(draw.slots)


def register(me: Record) -> int:
    """How somebody speaks: 0 casual, 1 brisk, 2 formal. Nobody changes it."""
    return int(digest(me["emp_id"], 8), 16) % REGISTERS


class Texts:
    """What has been said so far."""

    def __init__(self) -> None:
        self._trigrams: dict[tuple[Split, str], list[frozenset[str]]] = defaultdict(list)
        self._said: set[str] = set()

    def new(self, split: Split, goal: Goal, query: str) -> bool:
        """Whether no task says this, and in the test split none of its kind almost the same."""
        if query in self._said:
            return False
        if split != "test":
            return True
        mine = trigrams(query)
        return all(likeness(mine, other) <= NEAR for other in self._trigrams[split, _kind(goal)])

    def add(self, split: Split, goal: Goal, query: str) -> None:
        """Remember a text."""
        self._said.add(query)
        self._trigrams[split, _kind(goal)].append(trigrams(query))


def trigrams(text: str) -> frozenset[str]:
    """All runs of three characters, letter case and line breaks aside."""
    folded = " ".join(text.lower().split())
    return frozenset(folded[start : start + 3] for start in range(len(folded) - 2))


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of all trigrams of two texts that both have (Jaccard)."""
    return len(first & second) / len(first | second) if first or second else 1.0


def _kind(goal: Goal) -> str:
    """Areas may share a goal and its wording."""
    return goal.id.partition(".")[2]
