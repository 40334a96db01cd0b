"""Finding the question whose answer tells demonstrated steps of different kinds apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """An example and how much it counts for the query."""

    example: Example
    weight: float


@dataclass(frozen=True)
class _Pair:
    """Two examples, how much it matters to tell them apart, and whether they do the same."""

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
    """How much of what should be told apart is, less what should not be."""
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
    """The questions that the examples' states suggest, with their cost."""
    copied = frozenset(source for one in kept for source in _sources(one.example))
    candidates: dict[Key, float] = {}
    for one in kept:
        memory = one.example.state.memo
        memo = ("questions", copied)
        if memo not in memory:
            memory[memo] = tuple(questions(one.example.state, copied))
        for key, cost in memory[memo]:
            if cost < candidates.get(key, 9.0):
                candidates[key] = cost
    return candidates


def _sources(example: Example) -> frozenset[tuple[int, str]]:
    """The columns of the runs so far that the step copies its arguments from."""
    memory = example.state.memo
    if "sources" not in memory:
        memory["sources"] = sources(example.state_after())
    found: frozenset[tuple[int, str]] = memory["sources"]
    return found
