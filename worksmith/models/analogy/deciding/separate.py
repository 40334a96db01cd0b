"""Finding the question whose answer tells demonstrated steps of different kinds apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from worksmith.models.analogy.deciding.loops import sources
from worksmith.models.analogy.deciding.questions import answer, questions
from worksmith.models.analogy.demonstrations.library import Example, Library
from worksmith.models.analogy.reading.state import State
from worksmith.models.analogy.values.moments import Key

_PAIRED = 3
_PER_COST = 0.15
_MIN_GAIN = 0.45
_MIN_MIXED = 0.02

Answers = tuple[bool | None, ...]


@dataclass(frozen=True)
class Weighted:
    example: Example
    weight: float


@dataclass(frozen=True)
class _Pair:
    """Two examples, the weight of telling them apart, and whether they do the same."""

    one: int
    other: int
    weight: float
    same: bool


def best_question(kept: Sequence[Weighted], library: Library, state: State) -> Key | None:
    """The question whose answers go with the kinds of step, among demonstrations of like tasks.

    None when the examples hardly differ, or when no question separates them well.
    """
    pairs = _pairs(kept, library)
    mixed = sum(pair.weight for pair in pairs if not pair.same)
    even = sum(pair.weight for pair in pairs if pair.same)
    if not mixed or mixed < _MIN_MIXED * (mixed + even):
        return None
    gains: dict[Answers, float] = {}
    best: tuple[float, Key] | None = None
    states = [one.example.state for one in kept]
    for key, cost in sorted(_candidates(kept).items(), key=lambda item: item[1]):
        if best and best[0] >= 1.0 - _PER_COST * cost:
            break
        reply = answer(key, state)
        if reply is None:
            continue
        replies = tuple([answer(key, one) for one in states])
        if reply not in replies:
            continue
        if replies not in gains:
            gains[replies] = _gain(replies, pairs, mixed, even)
        score = gains[replies] - _PER_COST * cost
        if best is None or score > best[0] + 1e-9:
            best = (score, key)
    return best[1] if best and best[0] >= _MIN_GAIN else None


def _gain(replies: Answers, pairs: Sequence[_Pair], mixed: float, even: float) -> float:
    """The share of different pairs that are told apart, less the share of same pairs that are."""
    apart = torn = 0.0
    for pair in pairs:
        if replies[pair.one] != replies[pair.other]:
            if pair.same:
                torn += pair.weight
            else:
                apart += pair.weight
    return apart / mixed - torn / (even or 1.0)


def _pairs(kept: Sequence[Weighted], library: Library) -> list[_Pair]:
    pairs = []
    for i, one in enumerate(kept):
        for j in range(i + 1, len(kept)):
            near = _nearness(one.example, kept[j].example, library)
            weight = (one.weight * kept[j].weight) ** 0.25 * near**_PAIRED
            if weight > 1e-4:
                pairs.append(_Pair(i, j, weight, one.example.label == kept[j].example.label))
    return pairs


def _nearness(one: Example, other: Example, library: Library) -> float:
    return 1.0 if one.number == other.number else library.likeness.between(one.number, other.number)


def _candidates(kept: Sequence[Weighted]) -> dict[Key, float]:
    copied = frozenset(source for one in kept for source in _sources(one.example))
    candidates: dict[Key, float] = {}
    for one in kept:
        state = one.example.state
        asked = state.remember(("questions", copied), partial(tuple, questions(state, copied)))
        for key, cost in asked:
            if cost < candidates.get(key, 9.0):
                candidates[key] = cost
    return candidates


def _sources(example: Example) -> frozenset[tuple[int, str]]:
    """The columns of the runs so far that the step copies its arguments from."""
    return example.state.remember("sources", lambda: sources(example.state_after()))
