"""The values of a slot that tasks mention, where demonstrations take the mentioned ones."""

from __future__ import annotations

import math

from worksmith.models.analogy.demonstrations import contrast
from worksmith.models.analogy.filling.leaves import Slot
from worksmith.models.analogy.values.moments import Key


def choices(slot: Slot) -> dict[str, float]:
    """The value that the query mentions at the place where the demonstrations mention theirs."""
    asked, votes = _mentioned(slot)
    if not asked or not votes:
        return {}
    place = max(votes, key=lambda one: votes[one])
    return {asked[place]: votes[place] / sum(slot.weights)} if place < len(asked) else {}


def by_words(slot: Slot) -> dict[Key, float]:
    """The weight of each value as a constant: more for those whose tasks are worded like the query."""
    shown = [slot.library.terms[leaf.source.example.number] for leaf in slot.leaves]
    leans = contrast.kind_log_odds(
        contrast.terms(slot.state.task.text), shown, [leaf.text for leaf in slot.leaves]
    )
    leaning = [weight * math.exp(lean) for weight, lean in zip(slot.weights, leans, strict=True)]
    scale = sum(slot.weights) / sum(leaning)
    support: dict[Key, float] = {}
    for leaf, weight in zip(slot.leaves, leaning, strict=True):
        key = ("const", leaf.text)
        support[key] = support.get(key, 0.0) + scale * weight
    return support


def used_up(slot: Slot, taken: frozenset[str]) -> bool:
    """Whether demonstrations take the next value that their tasks mention, and this task has no more."""
    asked, votes = _mentioned(slot)
    return bool(asked) and taken.issuperset(asked) and sum(votes.values()) * 2 > sum(slot.weights)


def _mentioned(slot: Slot) -> tuple[tuple[str, ...], dict[int, float]]:
    """The values that the query mentions, and which of theirs the demonstrations take: place to weight."""
    if any(not text or text[0].isdigit() or "@" in text or len(text) > 40 for text in slot.texts):
        return (), {}
    lexicon = slot.library.lexicon(slot.path, slot.used)
    asked = lexicon.mentions(slot.state.task)
    votes: dict[int, float] = {}
    for leaf, weight in zip(slot.leaves, slot.weights, strict=True) if asked else ():
        mentioned = lexicon.mentions(leaf.source.example.demo.task)
        if leaf.text in mentioned:
            place = mentioned.index(leaf.text)
            votes[place] = votes.get(place, 0.0) + weight
    return asked, votes
