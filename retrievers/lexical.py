"""A small text index for short requests: TF-IDF over abstracted words and pairs of words."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from retrievers.abstraction import abstract
from retrievers.protocol import Hit

_PAIR_WEIGHT = 0.6
"""Pairs say how words go together but repeat what the words say, so they count less."""


def _features(text: str) -> Counter[str]:
    """Words, neighbours and neighbours but one, with marks for the ends of the text."""
    words = ["^", *abstract(text), "$"]
    features = Counter(words[1:-1])
    features.update(f"{first} {second}" for first, second in pairwise(words))
    features.update(f"{first} _ {second}" for first, second in zip(words[1:-1], words[3:-1], strict=False))
    return features


class LexicalIndex:
    """Immutable index over keyed texts. Safe to share between threads; the same texts give the same hits."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        counted = {key: _features(texts[key]) for key in sorted(texts)}
        frequency = Counter(feature for features in counted.values() for feature in features)
        total = len(counted)
        self._weight = {
            feature: math.log((1 + total) / (0.5 + count)) for feature, count in frequency.items()
        }
        self._keys = tuple(counted)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._vectors: list[dict[str, float]] = []
        for position, features in enumerate(counted.values()):
            vector = self._vector(features)
            self._vectors.append(vector)
            for feature, value in vector.items():
                self._postings[feature].append((position, value))

    def __len__(self) -> int:
        return len(self._keys)

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` texts nearest to `text`, best first, ties by key.

        Args:
            exclude: keys that must not be returned.
        """
        scores = self._scores(self._vector(_features(text)))
        banned = set(exclude)
        ranked = sorted(
            ((-score, key) for key, score in zip(self._keys, scores, strict=True) if key not in banned)
        )
        return [Hit(key, -score) for score, key in ranked[:k]]

    def similarities(self) -> dict[str, dict[str, float]]:
        """Cosine similarity of every text to every other that shares a feature with it."""
        table: dict[str, dict[str, float]] = {}
        for key, vector in zip(self._keys, self._vectors, strict=True):
            scores = self._scores(vector)
            table[key] = {other: score for other, score in zip(self._keys, scores, strict=True) if score}
        return table

    def _scores(self, vector: Mapping[str, float]) -> list[float]:
        scores = [0.0] * len(self._keys)
        for feature, value in vector.items():
            for position, weight in self._postings.get(feature, ()):
                scores[position] += value * weight
        # Rounded, so that the order of additions can never decide a tie.
        return [round(score, 9) for score in scores]

    def _vector(self, features: Mapping[str, int]) -> dict[str, float]:
        raw = {
            feature: (1 + math.log(count)) * self._weight[feature] * (_PAIR_WEIGHT if " " in feature else 1.0)
            for feature, count in features.items()
            if feature in self._weight
        }
        norm = math.sqrt(sum(value * value for value in raw.values())) or 1.0
        return {feature: value / norm for feature, value in raw.items()}
