"""The likeliest kind of a query, by the words that distinguish the kinds of demonstrated tasks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

from worksmith.models.analogy.reading.words import FUNCTION_STEMS
from worksmith.retrievers.ranking.abstraction import abstract

_PRESENT = 0.7
"""Weight of a word that the query has."""

_ABSENT = 0.3
"""Weight of a word that the query lacks."""

_SMOOTH = 0.5
"""Wordings of the mean kind that are added to each kind, so that no share is zero."""

_SAME = 0.7
"""Two kinds count as one if wordings of theirs share at least this part of their words."""

Terms = frozenset[str]
"""The words of a text that distinguish kinds."""


def terms(text: str) -> Terms:
    """The words of a text without names, numbers and function words; synonyms become one word."""
    return frozenset(word for word in abstract(text) if word[0] != "_" and word not in FUNCTION_STEMS)


def kind_log_odds(query: Terms, shown: Sequence[Terms], kinds: Sequence[Hashable]) -> list[float]:
    """The log-odds of the kind of each demonstrated task, by the query's words.

    Args:
        shown: the words of each demonstrated task. Tasks of a kind with the same words count as one.
        kinds: the kind of each demonstrated task.

    Returns:
        A value for each demonstrated task: 0 for the likeliest kind, below 0 for the others.
    """
    kinds = _merged(shown, kinds)
    wordings = {kind: {some for some, its in zip(shown, kinds, strict=True) if its == kind} for kind in kinds}
    if len(wordings) < 2:
        return [0.0] * len(shown)
    rates = {kind: _rates(some) for kind, some in wordings.items()}
    words = {word for rate in rates.values() for word in rate}
    middle = {word: math.fsum(rate.get(word, 0.0) for rate in rates.values()) / len(rates) for word in words}
    scores = {}
    for kind, rate in rates.items():
        size = len(wordings[kind])
        score = []
        for word in words:
            share = (rate.get(word, 0.0) * size + _SMOOTH * middle[word]) / (size + _SMOOTH)
            if word in query:
                score.append(_PRESENT * math.log(share / middle[word]))
            else:
                score.append(_ABSENT * math.log((1.01 - share) / (1.01 - middle[word])))
        scores[kind] = math.fsum(score)
    best = max(scores.values())
    return [scores[kind] - best for kind in kinds]


def _merged(shown: Sequence[Terms], kinds: Sequence[Hashable]) -> list[Hashable]:
    """The kinds, where kinds with similar wordings become one: words cannot distinguish those."""
    names = {kind: kind for kind in kinds}
    for place, one in enumerate(shown):
        for other, kind in zip(shown[:place], kinds, strict=False):
            if names[kind] != names[kinds[place]] and len(one & other) >= _SAME * len(one | other):
                old, new = names[kinds[place]], names[kind]
                names = {key: new if name == old else name for key, name in names.items()}
    return [names[kind] for kind in kinds]


def _rates(wordings: set[Terms]) -> dict[str, float]:
    """By word the share of the wordings that have it."""
    counts = Counter(word for some in wordings for word in some)
    return {word: count / len(wordings) for word, count in counts.items()}
