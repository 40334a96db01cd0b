"""BM25 over the words of many texts, any of which can be left out of a search before it ranks.

Weights are computed when the index is made (as BM25S does, Lù 2024), so a query adds up the postings of its
words. Unlike that library it scores texts that are not in it, by its own statistics: those that an episode
wrote a moment ago.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.abstraction import stem

_SATURATION = 1.2
_LENGTH = 0.75
"""How soon repetition stops counting and how much length does: the usual k1 and b of BM25."""

_WORD = re.compile(r"\w+")


class WordIndex:
    """Immutable and thread-safe. Texts are known by their place.

    Args:
        arrays: from `index_words` or from a file.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self.arrays = arrays
        words = bytes(arrays["words"]).decode().split("\n")
        self._numbers = {word: number for number, word in enumerate(words) if word}
        self._starts = arrays["starts"]
        self._places = arrays["places"]
        self._weights = arrays["weights"]
        self._size = int(arrays["size"][0])
        self._mean_length = float(arrays["mean_length"][0])

    def scores(self, text: str) -> NDArray[np.float32]:
        """BM25 of every indexed text for the query `text`; 0 where they share no word."""
        found = np.zeros(self._size, dtype=np.float32)
        for word in sorted(set(words_of(text))):
            number = self._numbers.get(word)
            if number is not None:
                span = slice(int(self._starts[number]), int(self._starts[number + 1]))
                # A text stands once in the postings of a word, so this adds to each only once.
                found[self._places[span]] += self._weights[span]
        return found

    def score_other(self, query: str, text: str) -> float:
        """BM25 of a text that is not in the index, as if it were."""
        counts = Counter(words_of(text))
        length = sum(counts.values())
        total = 0.0
        for word in sorted(set(words_of(query)) & counts.keys()):
            number = self._numbers.get(word)
            known = 0 if number is None else self._starts[number + 1] - self._starts[number]
            rarity = _rarity(known, self._size)
            total += float(_weight(counts[word], length, self._mean_length, rarity))
        return total


def index_words(texts: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of a `WordIndex` over `texts`: words in order, and for each the texts that have it."""
    numbers: dict[str, int] = {}
    places: list[int] = []
    occurring: list[int] = []
    counts: list[int] = []
    lengths = np.zeros(len(texts), dtype=np.int64)
    for place, text in enumerate(texts):
        counted = Counter(words_of(text))
        lengths[place] = sum(counted.values())
        for word, count in counted.items():
            occurring.append(numbers.setdefault(word, len(numbers)))
            places.append(place)
            counts.append(count)
    order = np.argsort(np.asarray(occurring, dtype=np.int64), kind="stable")
    by_word = np.asarray(occurring, dtype=np.int64)[order]
    where = np.asarray(places, dtype=np.int32)[order]
    starts = np.searchsorted(by_word, np.arange(len(numbers) + 1))
    mean = float(lengths.mean()) if len(texts) else 0.0
    rarity = _rarity(np.diff(starts), len(texts))[by_word]
    weights = _weight(np.asarray(counts, dtype=np.int64)[order], lengths[where], mean, rarity)
    return {
        "words": np.frombuffer("\n".join(numbers).encode(), dtype=np.uint8),
        "starts": starts.astype(np.int64),
        "places": where,
        "weights": weights.astype(np.float32),
        "size": np.asarray([len(texts)]),
        "mean_length": np.asarray([mean]),
    }


def words_of(text: str) -> list[str]:
    """The words of `text` by their stems, in lower case; a name like `parse_date` is also its parts."""
    words = []
    for word in _WORD.findall(text.lower()):
        words.append(_stem(word))
        if "_" in word:
            words.extend(_stem(part) for part in word.split("_") if part)
    return words


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return stem(word) if word.isalpha() else word


def _rarity(frequency: Any, size: int) -> Any:
    return np.log1p((size - frequency + 0.5) / (frequency + 0.5))


def _weight(count: Any, length: Any, mean: float, rarity: Any) -> Any:
    damped = count + _SATURATION * (1 - _LENGTH + _LENGTH * length / (mean or 1.0))
    return rarity * count * (_SATURATION + 1) / damped
