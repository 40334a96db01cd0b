"""The kind of a query among several: by the words that one kind has and the others have not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

from retrievers.ranking.abstraction import abstract
from worksmith.models.analogy.reading.words import FUNCTION_STEMS

_PRESENT = 0.7
_ABSENT = 0.3
_SMOOTH = 0.5
_SAME = 0.7

Terms = frozenset[str]


def terms(text: str) -> Terms:
    """The words that tell kinds apart, synonyms folded; names and numbers are none."""
    return frozenset(word for word in abstract(text) if word[0] != "_" and word not in FUNCTION_STEMS)


def leanings(query: Terms, shown: Sequence[Terms], kinds: Sequence[Hashable]) -> list[float]:
    """For each demonstrated task, the log-odds of its kind by the query's words: 0 for the likeliest.

    Tasks of a kind that are worded alike count as one.
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
    """The kinds, those that are worded alike as one: there the findings decide."""
    names = {kind: kind for kind in kinds}
    for place, one in enumerate(shown):
        for other, kind in zip(shown[:place], kinds, strict=False):
            if names[kind] != names[kinds[place]] and len(one & other) >= _SAME * len(one | other):
                old, new = names[kinds[place]], names[kind]
                names = {key: new if name == old else name for key, name in names.items()}
    return [names[kind] for kind in kinds]


def _rates(wordings: set[Terms]) -> dict[str, float]:
    """The share of the wordings that have each word."""
    counts = Counter(word for some in wordings for word in some)
    return {word: count / len(wordings) for word, count in counts.items()}
