"""BM25 over the words of texts, any of which can be left out of a search.

The rarity of words and the mean length of texts are computed over the eligible texts alone, so texts that are
left out have no influence. Indexes that compute weights beforehand (BM25S, Lucene) cannot do that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.ranking.abstraction import stem
from worksmith.retrievers.texts.words import terms

_SATURATION = 1.2
"""BM25's k1: the higher, the more a repeated word counts."""

_LENGTH = 0.75
"""BM25's b: the influence of a text's length, from 0 to 1."""

_DIGITS = 9
"""Decimals of scores; rounded, so that the last digits never decide a tie."""


class WordScores(NamedTuple):
    """The BM25 scores of the texts that share a word with a query.

    Attributes:
        places: of indexed texts, in order.
        indexed: their scores.
        others: the scores of other texts by key; 0 where they share no word.
    """

    places: NDArray[np.intp]
    indexed: NDArray[np.float64]
    others: dict[str, float]


class WordIndex:
    """An index of texts by their words. Immutable and thread-safe; texts are known by their place.

    Args:
        arrays: by name, as `index_words` gives them.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        words = bytes(arrays["words"]).decode().split("\n")
        self._numbers = {word: number for number, word in enumerate(words) if word}
        self._starts = arrays["starts"]
        self._places = arrays["places"]
        self._counts = arrays["counts"]
        self._lengths = arrays["lengths"]
        self._total = int(self._lengths.sum(dtype=np.int64))

    def check(self, texts: int) -> None:
        """Check that the arrays are an index of a number of texts.

        Args:
            texts: the number.
        """
        starts, places, counts = self._starts, self._places, self._counts
        if len(self._lengths) != texts or len(places) != len(counts) or len(starts) <= len(self._numbers):
            raise ValueError("an index of words over other texts")
        spans = (starts[0], starts[-1]) == (0, len(places)) and not (np.diff(starts) < 0).any()
        if not spans or (len(places) and not 0 <= places.min() <= places.max() < texts):
            raise ValueError("words of no text")
        if any(not np.issubdtype(part.dtype, np.integer) for part in (starts, places, counts, self._lengths)):
            raise ValueError("values of another type")

    def scores(
        self, query: str, eligible: NDArray[np.bool_] | None = None, changed: Mapping[str, str] | None = None
    ) -> WordScores:
        """How well texts fit `query`, as if the index held just the eligible texts and the changed ones.

        Args:
            eligible: for each indexed text whether it exists; None is all.
            changed: existing texts outside the index, by key.
        """
        counted = {key: Counter(words_of(text)) for key, text in (changed or {}).items()}
        lengths = {key: sum(counts.values()) for key, counts in counted.items()}
        own_length = sum(lengths.values())
        there = len(self._lengths) if eligible is None else int(np.count_nonzero(eligible))
        total = self._total if eligible is None else int(self._lengths.sum(where=eligible, dtype=np.int64))
        size = there + len(counted)
        mean = (total + own_length) / size if size else 0.0
        found = np.zeros(len(self._lengths))
        damping = _damping(self._lengths, mean)
        own = dict.fromkeys(counted, 0.0)
        for word in sorted(set(words_of(query, asked=True))):
            places, counts = self._postings(word, eligible)
            having = [key for key in counted if word in counted[key]]
            rarity = _rarity(len(places) + len(having), size)
            # A text stands once in the postings of a word, so this adds to each only once.
            found[places] += rarity * _saturated(counts, damping[places])
            for key in having:
                own[key] += rarity * float(_saturated(counted[key][word], _damping(lengths[key], mean)))
        scored = np.flatnonzero(found)
        others = {key: float(np.round(score, _DIGITS)) for key, score in own.items()}
        return WordScores(scored, found[scored].round(_DIGITS), others)

    def _postings(
        self, word: str, eligible: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The eligible texts that have `word`, and how often."""
        number = self._numbers.get(word)
        span = slice(0, 0) if number is None else slice(self._starts[number], self._starts[number + 1])
        places, counts = self._places[span], self._counts[span]
        if eligible is None:
            return places, counts
        kept = eligible[places]
        return places[kept], counts[kept]


def index_words(texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a `WordIndex` over `texts`: words, and for each the texts that have it and how often."""
    numbers: dict[str, int] = {}
    occurring: list[int] = []
    places: list[int] = []
    counts: list[int] = []
    lengths = np.zeros(len(texts), dtype=np.int32)
    for place, text in enumerate(texts):
        counted = Counter(words_of(text))
        lengths[place] = sum(counted.values())
        for word, count in counted.items():
            occurring.append(numbers.setdefault(word, len(numbers)))
            places.append(place)
            counts.append(count)
    by_word = np.asarray(occurring, dtype=np.int64)
    order = np.argsort(by_word, kind="stable")
    return {
        "words": np.frombuffer("\n".join(numbers).encode(), dtype=np.uint8),
        "starts": np.searchsorted(by_word[order], np.arange(len(numbers) + 1)),
        "places": np.asarray(places, dtype=np.int32)[order],
        "counts": np.asarray(counts, dtype=np.int32)[order],
        "lengths": lengths,
    }


def words_of(text: str, *, asked: bool = False) -> list[str]:
    """The `terms` of `text` by their stems; a name like `parse_date` is also its parts."""
    words = []
    for word in terms(text, asked=asked):
        words.append(_stem(word))
        if "_" in word:
            words.extend(_stem(part) for part in word.split("_") if part)
    return words


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return stem(word) if word.isalpha() else word


def _rarity(frequency: int, size: int) -> float:
    return math.log1p((size - frequency + 0.5) / (frequency + 0.5))


def _damping(length: Any, mean: float) -> Any:
    """How slowly occurrences add up in a text of `length` words; for one text or an array of them."""
    return _SATURATION * (1 - _LENGTH + _LENGTH * length / (mean or 1.0))


def _saturated(count: Any, damping: Any) -> Any:
    """The weight of `count` occurrences in a text."""
    return count * (_SATURATION + 1) / (count + damping)
