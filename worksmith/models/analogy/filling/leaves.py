"""Demonstrated values, and how much each counts for the query."""

from __future__ import annotations

from dataclasses import dataclass

from worksmith.models.analogy.deciding.separate import Weighted
from worksmith.models.analogy.reading.state import State

_OTHER_RUN = 0.35
_OTHER_SIDE = 0.3
_OTHER_EXTREME = 0.1


@dataclass(frozen=True)
class Filled:
    """A value for the query, and how well it is supported (0 to 1)."""

    text: str
    support: float


@dataclass(frozen=True)
class Leaf:
    """A demonstrated value: the step it is from (weighted) and its text."""

    source: Weighted
    text: str


def weight_of(leaf: Leaf, state: State) -> float:
    """Steps at another place of a run, and of tasks that look the other way (after, before), count less."""
    shown = leaf.source.example.state
    weight = leaf.source.weight * (1.0 if shown.run == state.run else _OTHER_RUN)
    weight *= 1.0 if shown.task.sides == state.task.sides else _OTHER_SIDE
    asked, theirs = state.task.extremes, shown.task.extremes
    return weight * (_OTHER_EXTREME if asked and theirs and asked.isdisjoint(theirs) else 1.0) + 1e-9
