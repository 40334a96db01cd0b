"""How alike two tasks are, with names, dates, numbers and quotations masked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from worksmith.models.analogy.task import Task

_COVERED = 0.15
_PLAIN = 0.3
_LATER = 0.1


class Likeness:
    """Cosine similarity of tasks over stems and pairs, weighted by rarity among the demonstrations.

    Args:
        contents: the terms of each demonstrated task (`Task.content`).
        kinds: what was done in each; the wordings of one kind are also compared together.
    """

    def __init__(self, contents: Sequence[Mapping[str, float]], kinds: Sequence[Hashable]) -> None:
        counts = Counter(term for content in contents for term in content)
        self._total = len(contents)
        telling = _telling(contents, kinds)
        self._rarity = {
            term: (math.log((self._total + 1) / (n + 0.5)) + 0.3) * telling[term]
            for term, n in counts.items()
        }
        self._vectors = [self._vector(content) for content in contents]
        self._kinds = tuple(kinds)
        self._words: dict[Hashable, set[str]] = {}
        for kind, content in zip(kinds, contents, strict=True):
            self._words.setdefault(kind, set()).update(content)

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
        """The similarity of `task` to each of the tasks, 0 to 1; later ones count slightly more."""
        content = task.content(())
        vector = self._vector(content)
        total = sum(vector[0].values()) or 1.0
        covered = {
            kind: sum(weight for term, weight in vector[0].items() if term in words) / total
            for kind, words in self._words.items()
        }
        return [
            _cosine(vector, other) + _COVERED * covered[kind] + _LATER * place / self._total
            for place, (other, kind) in enumerate(zip(self._vectors, self._kinds, strict=True))
        ]

    @cached_property
    def closeness(self) -> float:
        """The mean similarity of two of the tasks."""
        pairs = combinations(range(self._total), 2)
        found = [self.between(one, other) for one, other in pairs]
        return sum(found) / len(found) if found else 1.0

    def nearest(self, task: Task) -> float:
        """The similarity of the most similar of the tasks."""
        vector = self._vector(task.content(()))
        return max(_cosine(vector, other) for other in self._vectors)

    def between(self, one: int, other: int) -> float:
        """The similarity of two of the tasks."""
        return _cosine(self._vectors[one], self._vectors[other])


def _telling(contents: Sequence[Mapping[str, float]], kinds: Sequence[Hashable]) -> dict[str, float]:
    """How well each term goes with what was done: more for one that only tasks of one kind have."""
    users: dict[str, Counter[Hashable]] = {}
    for content, kind in zip(contents, kinds, strict=True):
        for term in content:
            users.setdefault(term, Counter())[kind] += 1
    return {term: _PLAIN + (max(some.values()) - 0.5) / sum(some.values()) for term, some in users.items()}


def _cosine(one: tuple[Mapping[str, float], float], other: tuple[Mapping[str, float], float]) -> float:
    small, large = (one, other) if len(one[0]) < len(other[0]) else (other, one)
    return sum(w * large[0].get(term, 0.0) for term, w in small[0].items()) / (one[1] * other[1])
