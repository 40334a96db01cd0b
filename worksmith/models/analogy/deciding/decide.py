"""Deciding the kind of the next step: by likeness of the tasks and by tests of the state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from worksmith.models.analogy.deciding.loops import goes_on
from worksmith.models.analogy.deciding.questions import answer
from worksmith.models.analogy.deciding.separate import Weighted, best_question
from worksmith.models.analogy.demonstrations import contrast
from worksmith.models.analogy.demonstrations.library import Example, Label, Library
from worksmith.models.analogy.reading.state import State

_SHARPNESS = 6.0
_OTHER_LENGTHS = 0.6
_KINDRED = 0.25
_FAR = 20.0
_DEPTH = 3
_FARTHEST = -6.0


@dataclass(frozen=True)
class Decision:
    """The kind of the next step.

    Attributes:
        label: the kind.
        examples: the demonstrated steps of that kind in this situation, weighted.
        confidence: its vote as a share of the best kind's, less if only tasks far from the query show it.
        further: whether it makes the last call again for rows that are left.
    """

    label: Label
    examples: tuple[Weighted, ...]
    confidence: float
    further: bool = False


def decide(library: Library, state: State) -> list[Decision]:
    """The possible kinds of the next step, best first; none if no demonstration was in this situation."""
    found = [e for e in library.situations.get(state.situation, []) if library.offered(e)]
    found += [e for e in library.kindred(state.situation, wide=not found) if library.offered(e)]
    further = goes_on(found, state)
    if further:
        before = library.situations.get(state.situation[:-1], [])
        found = [e for e in before if e.label[0] == state.situation[-1]]
    if not found:
        return []
    weights = _weights(library, found, state)
    weighted = [_weigh(example, weights, state) for example in found]
    followed = _follow(weighted, library, state)
    votes = _votes(followed)
    decisions = []
    for label in sorted(votes, key=lambda one: -votes[one]):
        chosen = [one for one in weighted if one.example.label == label]
        examples = [one if one in followed else Weighted(one.example, 0.3 * one.weight) for one in chosen]
        if label[0] in state.situation[-1:]:
            earlier = library.situations.get(state.situation[:-1], [])
            examples += [_weigh(one, weights, state) for one in earlier if one.label == label]
        share = votes[label] / max(votes.values())
        near_enough = min(1.0, _FAR * max(one.weight for one in examples))
        decisions.append(Decision(label, tuple(examples), share * near_enough, further))
    return decisions


def _weights(library: Library, found: Sequence[Example], state: State) -> list[float]:
    """The weight of each demonstration for the query."""
    near = library.likeness.to_all(state.task)
    best = max(near)
    lean = _leanings(library, found, state) if state.calls else {}
    return [
        math.exp(_SHARPNESS * (one - best) + lean.get(number, 0.0)) * library.feasible(number)
        for number, one in enumerate(near)
    ]


def _leanings(library: Library, found: Sequence[Example], state: State) -> dict[int, float]:
    """The lean of the query's words to the kind of each demonstration that was in this situation."""
    numbers = list(dict.fromkeys(example.number for example in found))
    shown = [library.terms[number] for number in numbers]
    kinds = [library.demos[number].kind for number in numbers]
    found_out = contrast.kind_log_odds(contrast.terms(state.task.text), shown, kinds)
    return {number: max(_FARTHEST, lean) for number, lean in zip(numbers, found_out, strict=True)}


def _weigh(example: Example, weights: Sequence[float], state: State) -> Weighted:
    odd = _other_lengths(example.state, state)
    kin = 1.0 if example.state.situation[:-1] == state.situation[:-1] else _KINDRED
    return Weighted(example, weights[example.number] * _OTHER_LENGTHS**odd * kin)


def _votes(followed: Sequence[Weighted]) -> dict[Label, float]:
    """The weight of each kind of step; a demonstration that was here several times has one vote."""
    visits: dict[int, int] = {}
    for one in followed:
        visits[one.example.number] = visits.get(one.example.number, 0) + 1
    votes: dict[Label, float] = {}
    for one in followed:
        share = one.weight / visits[one.example.number]
        votes[one.example.label] = votes.get(one.example.label, 0.0) + share
    return votes


def _other_lengths(one: State, other: State) -> int:
    """The number of earlier runs with another length."""
    pairs = zip(one.groups[:-1], other.groups[:-1], strict=False)
    return sum(len(mine.calls) != len(theirs.calls) for mine, theirs in pairs)


def _follow(weighted: Sequence[Weighted], library: Library, state: State) -> list[Weighted]:
    """The examples that answer the deciding questions as the query's state does."""
    kept = list(weighted)
    for _ in range(_DEPTH):
        if len({one.example.label for one in kept}) < 2:
            break
        question = best_question(kept, library, state)
        if question is None:
            break
        reply = answer(question, state)
        kept = [one for one in kept if answer(question, one.example.state) == reply]
    return kept
