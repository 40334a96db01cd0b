"""Loops: a call made for one row of an observation after another."""

from __future__ import annotations

from collections.abc import Sequence

from worksmith.models.analogy.demonstrations.library import Example
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.reading.words import stem
from worksmith.models.analogy.values.rows import ALL, unused

_EACH = frozenset(map(stem, ("all", "every", "each", "any", "everything", "whatever", "both", "ones")))

Source = tuple[int, str]


def sources(state: State) -> frozenset[Source]:
    """The columns of earlier runs that hold an argument of the last call."""
    if not state.groups:
        return frozenset()
    values = state.calls[-1].arguments.values()
    return frozenset(
        (index, column)
        for index, group in enumerate(state.groups[:-1])
        for column in group.columns
        if any(row.get(column) in values for row in group.rows)
    )


def goes_on(examples: Sequence[Example], state: State) -> bool:
    """Whether the last call is to be made for further rows although no demonstration had any left.

    Demonstrations with a single row do not tell "for each" from "for the first"; the task's words do.
    """
    if not examples or not _EACH & {token.norm for token in state.task.tokens}:
        return False
    shared = frozenset.intersection(*(sources(example.state) for example in examples))
    return any(
        unused(index, column, ALL, state)
        and not any(unused(index, column, ALL, example.state) for example in examples)
        for index, column in shared & sources(state)
    )
