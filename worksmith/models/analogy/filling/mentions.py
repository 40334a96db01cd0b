"""Which of a slot's few values the query mentions, where demonstrations take what their tasks mention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from worksmith.models.analogy.demonstrations import contrast
from worksmith.models.analogy.demonstrations.library import Library
from worksmith.models.analogy.filling.leaves import Leaf
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values.moments import Key


def choices(
    leaves: Sequence[Leaf], weights: Sequence[float], library: Library, state: State, slot: tuple[Any, ...]
) -> dict[str, float]:
    """The value that the query mentions at the place where the demonstrations mention theirs."""
    asked, votes = _mentioned(leaves, weights, library, state, slot)
    if not asked or not votes:
        return {}
    place = max(votes, key=lambda one: votes[one])
    return {asked[place]: votes[place] / sum(weights)} if place < len(asked) else {}


def by_words(
    leaves: Sequence[Leaf], weights: Sequence[float], library: Library, state: State
) -> dict[Key, float]:
    """The weight of each value as a constant: more for those whose tasks are worded like the query."""
    shown = [library.terms[leaf.source.example.number] for leaf in leaves]
    leans = contrast.leanings(contrast.terms(state.task.text), shown, [leaf.text for leaf in leaves])
    leaning = [weight * math.exp(lean) for weight, lean in zip(weights, leans, strict=True)]
    scale = sum(weights) / sum(leaning)
    support: dict[Key, float] = {}
    for leaf, weight in zip(leaves, leaning, strict=True):
        key = ("const", leaf.text)
        support[key] = support.get(key, 0.0) + scale * weight
    return support


def used_up(
    leaves: Sequence[Leaf],
    weights: Sequence[float],
    library: Library,
    state: State,
    slot: tuple[Any, ...],
    taken: frozenset[str],
) -> bool:
    """Whether demonstrations take what their tasks mention next, and this task mentions no more."""
    asked, votes = _mentioned(leaves, weights, library, state, slot)
    return bool(asked) and taken.issuperset(asked) and sum(votes.values()) * 2 > sum(weights)


def _mentioned(
    leaves: Sequence[Leaf], weights: Sequence[float], library: Library, state: State, slot: tuple[Any, ...]
) -> tuple[tuple[str, ...], dict[int, float]]:
    """The values that the query mentions, and which of theirs the demonstrations take: place to weight."""
    texts = {leaf.text for leaf in leaves}
    if any(not text or text[0].isdigit() or "@" in text or len(text) > 40 for text in texts):
        return (), {}
    lexicon = library.lexicon(slot, used_values(library, slot))
    asked = lexicon.mentions(state.task)
    votes: dict[int, float] = {}
    if not asked:
        return asked, votes
    for leaf, weight in zip(leaves, weights, strict=True):
        mentioned = lexicon.mentions(leaf.source.example.demo.task)
        if leaf.text in mentioned:
            place = mentioned.index(leaf.text)
            votes[place] = votes.get(place, 0.0) + weight
    return asked, votes


def used_values(library: Library, slot: tuple[Any, ...]) -> list[frozenset[str]]:
    """The values that each demonstration uses in a slot."""
    used = []
    for demo in library.demos:
        values = set()
        for call in demo.states[-1].calls:
            if slot[0] == "tool" and call.tool in slot[1]:
                values.add(call.tool)
            elif slot[0] == "argument" and slot[1] in call.arguments:
                values.add(call.arguments[slot[1]])
        used.append(frozenset(values))
    return used
