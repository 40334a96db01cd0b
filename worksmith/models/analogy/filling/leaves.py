"""Demonstrated values, and their weights for the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from worksmith.models.analogy.deciding.separate import Weighted
from worksmith.models.analogy.demonstrations.library import Library
from worksmith.models.analogy.reading.state import State

_OTHER_RUN = 0.35
_OTHER_SIDE = 0.3
_OTHER_EXTREME = 0.1


@dataclass(frozen=True)
class Filled:
    """A value for the query with its support (0 to 1)."""

    text: str
    support: float


@dataclass(frozen=True)
class Leaf:
    """A demonstrated value with its weighted step."""

    source: Weighted
    text: str


@dataclass(frozen=True)
class Slot:
    """A place to fill in the next step.

    Attributes:
        leaves: the demonstrated values.
        state: the query's.
        path: `("argument", name)`, or `("tool", names)`; longer for a value inside a statement.
    """

    leaves: Sequence[Leaf]
    library: Library
    state: State
    path: tuple[Any, ...]

    def of(self, leaves: Sequence[Leaf], *path: str) -> Slot:
        """A part of the slot, with leaves of its own."""
        return replace(self, leaves=leaves, path=(*self.path, *path))

    @cached_property
    def weights(self) -> list[float]:
        return [weight_of(leaf, self.state) for leaf in self.leaves]

    @cached_property
    def texts(self) -> frozenset[str]:
        """The demonstrated values, each once."""
        return frozenset(leaf.text for leaf in self.leaves)

    @cached_property
    def used(self) -> list[frozenset[str]]:
        """The values that each demonstration uses in the slot."""
        calls = [demo.states[-1].calls for demo in self.library.demos]
        if self.path[0] == "tool":
            return [frozenset(call.tool for call in some if call.tool in self.path[1]) for some in calls]
        if self.path[0] != "argument":
            return [frozenset() for _ in calls]
        name = self.path[1]
        return [frozenset(call.arguments[name] for call in some if name in call.arguments) for some in calls]


def weight_of(leaf: Leaf, state: State) -> float:
    """Steps at another place of a run, and of tasks that look the other way (after, before), count less."""
    shown = leaf.source.example.state
    weight = leaf.source.weight * (1.0 if shown.run == state.run else _OTHER_RUN)
    weight *= 1.0 if shown.task.sides == state.task.sides else _OTHER_SIDE
    asked, theirs = state.task.extremes, shown.task.extremes
    return weight * (_OTHER_EXTREME if asked and theirs and asked.isdisjoint(theirs) else 1.0) + 1e-9
