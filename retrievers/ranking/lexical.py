"""A small text index for short requests: TF-IDF over abstracted words and pairs of words.

A query without a word of any text is compared by runs of three characters.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise

import regex  # type: ignore[import-untyped]

from worksmith.retrievers.ranking.abstraction import abstract, names_in
from worksmith.retrievers.ranking.covering import covering
from worksmith.retrievers.ranking.hits import Hit
from worksmith.retrievers.texts.words import CHARACTER, LETTER, words

Vector = Mapping[str, float]

_KIN_WEIGHT = 0.7
"""How much of a text's vector comes from texts that mean the same."""

_COVERED = 500
"""The most texts whose covering order is found: time and memory grow with the square."""

_CHARACTER = regex.compile(CHARACTER)
_HIRAGANA = regex.compile(r"\p{Hiragana}{2}")
"""A pair that is grammar rather than a word."""

_OTHER_ALPHABET = regex.compile(rf"(?!\p{{Latin}}){LETTER}{{4,}}")

_PAIR_WEIGHT = 0.6
"""Pairs add the order of words but repeat the words, so they count less."""


class LexicalIndex:
    """Immutable index over keyed texts. Safe to share between threads; the same texts give the same hits.

    Args:
        kin: for some keys a mark; texts with the same mark mean the same and lend each other their words,
            so that a wording known from one is found in the others.
    """

    def __init__(self, texts: Mapping[str, str], kin: Mapping[str, str] | None = None) -> None:
        self._texts = texts
        self._keys = tuple(sorted(texts))
        self._names = names_in(texts.values())
        counted = [self._features(texts[key]) for key in self._keys]
        frequency = Counter(feature for features in counted for feature in features)
        total = len(counted)
        self._weight = {
            feature: math.log((1 + total) / (0.5 + count)) for feature, count in frequency.items()
        }
        self._vectors = [self._vector(features) for features in counted]
        marks = [(kin or {}).get(key) for key in self._keys]
        middles = _middles(self._vectors, marks)
        # Rows are the texts and, after them, the middles: a text with all words of its kin would be long.
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row, vector in enumerate((*self._vectors, *middles.values())):
            for feature, value in vector.items():
                self._postings[feature].append((row, value))
        self._rows = len(self._keys) + len(middles)
        rows = {mark: row for row, mark in enumerate(middles, start=len(self._keys))}
        self._kin = [
            None if mark is None else (rows[mark], _length(vector, middles[mark]))
            for vector, mark in zip(self._vectors, marks, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._keys)

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` texts nearest to `text`, best first, ties by key.

        If no text has even three common characters, those that represent most of the others come first; all
        scores are 0 then.

        Args:
            exclude: keys that must not be returned.
        """
        banned = set(exclude)
        places = [place for place, key in enumerate(self._keys) if key not in banned]
        scores = self.scores(text)
        if not any(scores[place] for place in places):
            scores = self._by_characters.scores(text)
        if not any(scores[place] for place in places):
            places = [place for place in self._covering if self._keys[place] not in banned]
        # Stable, so that ties stay in order.
        places.sort(key=lambda place: -scores[place])
        return [Hit(self._keys[place], scores[place]) for place in places[:k]]

    def shares_words(self, text: str) -> bool:
        """Whether any text has a word of `text`."""
        return any(self.scores(text))

    def scores(self, text: str) -> list[float]:
        """The similarity of `text` to every text, 0 to 1, in the order of their keys."""
        return self._scores(self._vector(self._features(text)))

    def similarities(self) -> Iterator[list[float]]:
        """The similarities of each text's own words to every text, in the order of their keys."""
        return map(self._scores, self._vectors)

    @cached_property
    def _by_characters(self) -> LexicalIndex:
        return _CharacterIndex(self._texts)

    @cached_property
    def _covering(self) -> list[int]:
        """The places of all texts, those first that stand for most of the others."""
        size = min(len(self), _COVERED)
        order = covering((row[:size] for row in islice(self.similarities(), size)), size)
        return [*order, *range(size, len(self))]

    def _scores(self, vector: Mapping[str, float]) -> list[float]:
        sums = [0.0] * self._rows
        for feature, value in vector.items():
            for row, weight in self._postings.get(feature, ()):
                sums[row] += value * weight
        # Rounded, so that the order of additions can never decide a tie.
        return [
            round(own if kin is None else (own + _KIN_WEIGHT * sums[kin[0]]) / kin[1], 9)
            for own, kin in zip(sums, self._kin, strict=False)
        ]

    def _vector(self, features: Mapping[str, int]) -> Vector:
        raw = {
            feature: (1 + math.log(count)) * self._weight[feature] * (_PAIR_WEIGHT if " " in feature else 1.0)
            for feature, count in features.items()
            if feature in self._weight
        }
        return _unit(raw)

    def _features(self, text: str) -> Counter[str]:
        """Words, neighbours and neighbours but one, with marks for the ends of the text.

        In a script without spaces a pair is as good as a word, and a character is weaker. A word of an
        alphabet whose endings are not cut is its runs of characters, too.
        """
        found = ["^", *abstract(text, self._names), "$"]
        others = set() if text.isascii() else {word for word in found if not word.isascii()}
        unspaced = set(filter(_CHARACTER.match, others))
        features = Counter(f"{word} " if word in unspaced else word for word in found[1:-1])
        features.update(
            first + second
            if first in unspaced and second in unspaced and not _HIRAGANA.match(first + second)
            else f"{first} {second}"
            for first, second in pairwise(found)
        )
        features.update(
            f"{first} _ {second}"
            for first, second in zip(found[1:-1], found[3:-1], strict=False)
            if first not in unspaced
        )
        for word in filter(_OTHER_ALPHABET.match, others):
            features.update(f"{run} " for run in _runs(f"_{word}_"))
        return features


class _CharacterIndex(LexicalIndex):
    def _features(self, text: str) -> Counter[str]:
        return Counter(_runs(f"_{'_'.join(words(text))}_"))


def _runs(text: str) -> list[str]:
    """All runs of three characters."""
    return [text[at : at + 3] for at in range(len(text) - 2)]


def _middles(vectors: Sequence[Vector], marks: Sequence[str | None]) -> dict[str, Vector]:
    """The middle of the vectors with each mark."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for vector, mark in zip(vectors, marks, strict=True):
        if mark is not None:
            for feature, value in vector.items():
                sums[mark][feature] += value
    return {mark: _unit(total) for mark, total in sums.items()}


def _length(vector: Vector, middle: Vector) -> float:
    """The length of a vector that is moved towards the middle of its kin."""
    shared = math.fsum(value * middle[feature] for feature, value in vector.items())
    squares = math.fsum(value * value for value in vector.values())
    of_kin = math.fsum(value * value for value in middle.values())
    return math.sqrt(squares + 2 * _KIN_WEIGHT * shared + _KIN_WEIGHT**2 * of_kin) or 1.0


def _unit(vector: Vector) -> Vector:
    norm = math.sqrt(math.fsum(value * value for value in vector.values())) or 1.0
    return {feature: value / norm for feature, value in vector.items()}
