"""Likeness of tasks, with names, dates, numbers and quotations masked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from worksmith.models.analogy.reading.task import Task
from worksmith.retrievers.ranking.lexical import LexicalIndex

_PLAIN = 0.3


class Likeness:
    """Similarity of tasks: among the demonstrated ones, and of a query to each of them.

    Among themselves they are compared over stems and pairs, weighted by rarity. A query, which may be
    worded like none of them, goes through a text index that also knows everyday synonyms.

    Args:
        texts: the demonstrated tasks, names masked.
        contents: the terms of each (`Task.content`).
        kinds: the kind of each; tasks of one kind lend each other their wordings.
    """

    def __init__(
        self, texts: Sequence[str], contents: Sequence[Mapping[str, float]], kinds: Sequence[Hashable]
    ) -> None:
        keys = [f"{place:06d}" for place in range(len(texts))]
        marks = {kind: str(number) for number, kind in enumerate(dict.fromkeys(kinds))}
        self._index = LexicalIndex(
            dict(zip(keys, texts, strict=True)),
            {key: marks[kind] for key, kind in zip(keys, kinds, strict=True)},
        )
        counts = Counter(term for content in contents for term in content)
        self._total = len(contents)
        telling = _telling(contents, kinds)
        self._rarity = {
            term: (math.log((self._total + 1) / (n + 0.5)) + 0.3) * telling[term]
            for term, n in counts.items()
        }
        self._vectors = [self._vector(content) for content in contents]

    def _vector(self, content: Mapping[str, float]) -> tuple[Mapping[str, float], float]:
        """Weights of the terms that some demonstration has, and the length; unseen terms count a little."""
        unseen = math.log(self._total + 1) + 0.3
        vector, rest = {}, 0.0
        for term, weight in content.items():
            rarity = self._rarity.get(term)
            if rarity is None:
                rest += (0.3 * weight * unseen) ** 2
            else:
                vector[term] = weight * rarity
        return vector, math.sqrt(sum(w * w for w in vector.values()) + rest) or 1.0

    def to_all(self, task: Task) -> list[float]:
        """The similarity of `task` to each of the tasks, 0 to 1."""
        return self._index.scores(task.text)

    @cached_property
    def closeness(self) -> float:
        pairs = combinations(range(self._total), 2)
        found = [self.between(one, other) for one, other in pairs]
        return sum(found) / len(found) if found else 1.0

    def nearest(self, task: Task) -> float:
        """The similarity of the most similar task."""
        vector = self._vector(task.content(()))
        return max(_cosine(vector, other) for other in self._vectors)

    def between(self, one: int, other: int) -> float:
        return _cosine(self._vectors[one], self._vectors[other])


def _telling(contents: Sequence[Mapping[str, float]], kinds: Sequence[Hashable]) -> dict[str, float]:
    """The weight of each term: more for one that only tasks of one kind have."""
    users: dict[str, Counter[Hashable]] = {}
    for content, kind in zip(contents, kinds, strict=True):
        for term in content:
            users.setdefault(term, Counter())[kind] += 1
    return {term: _PLAIN + (max(some.values()) - 0.5) / sum(some.values()) for term, some in users.items()}


def _cosine(one: tuple[Mapping[str, float], float], other: tuple[Mapping[str, float], float]) -> float:
    small, large = (one, other) if len(one[0]) < len(other[0]) else (other, one)
    return sum(w * large[0].get(term, 0.0) for term, w in small[0].items()) / (one[1] * other[1])
