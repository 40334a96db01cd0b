"""A small text index for short requests: TF-IDF over abstracted words and pairs of words."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from worksmith.retrievers.ranking.abstraction import abstract, names_in
from worksmith.retrievers.ranking.hits import Hit

Vector = Mapping[str, float]

_KIN_WEIGHT = 0.7
"""How much of a text's vector comes from texts that mean the same."""

_PAIR_WEIGHT = 0.6
"""Pairs say how words go together but repeat what the words say, so they count less."""


class LexicalIndex:
    """Immutable index over keyed texts. Safe to share between threads; the same texts give the same hits.

    Args:
        kin: for some keys a mark; texts with the same mark mean the same and lend each other their words,
            so that a wording known from one is found in the others.
    """

    def __init__(self, texts: Mapping[str, str], kin: Mapping[str, str] | None = None) -> None:
        self._keys = tuple(sorted(texts))
        self._names = _names(texts.values())
        counted = [self._features(texts[key]) for key in self._keys]
        frequency = Counter(feature for features in counted for feature in features)
        total = len(counted)
        self._weight = {
            feature: math.log((1 + total) / (0.5 + count)) for feature, count in frequency.items()
        }
        own = [self._vector(features) for features in counted]
        self._vectors = _with_kin(own, [(kin or {}).get(key) for key in self._keys])
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, vector in enumerate(self._vectors):
            for feature, value in vector.items():
                self._postings[feature].append((position, value))

    def __len__(self) -> int:
        return len(self._keys)

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` texts nearest to `text`, best first, ties by key.

        Args:
            exclude: keys that must not be returned.
        """
        scores = self.scores(text)
        banned = set(exclude)
        ranked = sorted(
            ((-score, key) for key, score in zip(self._keys, scores, strict=True) if key not in banned)
        )
        return [Hit(key, -score) for score, key in ranked[:k]]

    def scores(self, text: str) -> list[float]:
        """The similarity of `text` to every text, 0 to 1, in the order of their keys."""
        return self._scores(self._vector(self._features(text)))

    def similarities(self) -> Iterator[list[float]]:
        """Cosine similarities of every text to every text, in the order of their keys: a row at a time."""
        return map(self._scores, self._vectors)

    def _scores(self, vector: Mapping[str, float]) -> list[float]:
        scores = [0.0] * len(self._keys)
        for feature, value in vector.items():
            for position, weight in self._postings.get(feature, ()):
                scores[position] += value * weight
        # Rounded, so that the order of additions can never decide a tie.
        return [round(score, 9) for score in scores]

    def _vector(self, features: Mapping[str, int]) -> Vector:
        raw = {
            feature: (1 + math.log(count)) * self._weight[feature] * (_PAIR_WEIGHT if " " in feature else 1.0)
            for feature, count in features.items()
            if feature in self._weight
        }
        return _unit(raw)

    def _features(self, text: str) -> Counter[str]:
        """Words, neighbours and neighbours but one, with marks for the ends of the text."""
        words = ["^", *abstract(text, self._names), "$"]
        features = Counter(words[1:-1])
        features.update(f"{first} {second}" for first, second in pairwise(words))
        features.update(
            f"{first} _ {second}" for first, second in zip(words[1:-1], words[3:-1], strict=False)
        )
        return features


def _names(texts: Iterable[str]) -> frozenset[str]:
    """Words that are capital within sentences, and never small: those that open a sentence are names too."""
    texts = tuple(texts)
    capital = {word for text in texts for word in names_in(text)}
    small = {word for text in texts for word in re.findall(r"\b[a-z]+\b", text)}
    return frozenset(capital - small)


def _with_kin(vectors: Sequence[Vector], marks: Sequence[str | None]) -> list[Vector]:
    """The vectors, each moved towards the middle of those with its mark."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for vector, mark in zip(vectors, marks, strict=True):
        if mark is not None:
            for feature, value in vector.items():
                sums[mark][feature] += value
    middles = {mark: _unit(total) for mark, total in sums.items()}
    return [
        vector if mark is None else _sum(vector, middles[mark])
        for vector, mark in zip(vectors, marks, strict=True)
    ]


def _sum(vector: Vector, middle: Vector) -> Vector:
    total = {feature: _KIN_WEIGHT * value for feature, value in middle.items()}
    for feature, value in vector.items():
        total[feature] += value
    return _unit(total)


def _unit(vector: Vector) -> Vector:
    norm = math.sqrt(math.fsum(value * value for value in vector.values())) or 1.0
    return {feature: value / norm for feature, value in vector.items()}
