"""One source's index: by words, by vectors, or both, with an episode's own texts.

A search gives what an index over only those records would give that may be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as Keys
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from retrievers.errors import RetrievalError
from retrievers.ranking.exact import Vectors, similarities
from retrievers.ranking.hits import Hit, best, fused, ranked
from retrievers.ranking.words import WordIndex, index_words
from retrievers.texts.documents import Document, by_key

if TYPE_CHECKING:
    from retrievers.embedding.models import Embedder

Mode = Literal["hybrid", "vector", "lexical"]

_DEPTH = 100
"""How far down each ranking is followed at least when two are fused."""


class Collection:
    """The searchable texts of one source. Immutable and thread-safe.

    Args:
        keys: of the records, in order.
        vectors: with `embedder`, None where only words are indexed.
        embedder: makes the model when it is first needed.
    """

    def __init__(
        self,
        source: str,
        keys: Sequence[str],
        words: WordIndex,
        mode: Mode,
        vectors: Vectors | None = None,
        embedder: Callable[[], Embedder] | None = None,
    ) -> None:
        self.source = source
        self.keys = tuple(keys)
        self._places = {key: place for place, key in enumerate(self.keys)}
        self._words = words
        self._mode: Mode = mode
        self._vectors = vectors
        self._embedder = embedder

    def mask(self, keys: Iterable[str]) -> NDArray[np.bool_]:
        """For each indexed record whether it is one of `keys`; unknown keys count nowhere."""
        mask = np.zeros(len(self.keys), dtype=np.bool_)
        places = self._places
        mask[[places[key] for key in keys if key in places]] = True
        return mask

    def search(
        self,
        text: str,
        k: int,
        *,
        allowed: NDArray[np.bool_] | None = None,
        changed: Mapping[str, str] | None = None,
        gone: Keys[str] = (),
        mode: Mode | None = None,
    ) -> list[Hit]:
        """The `k` records nearest to `text`, best first, ties by key.

        Args:
            allowed: from `mask`: only these may be found, and no other has any influence on what is; None
                is all.
            changed: texts that have been written since the index was made, by key. They replace what is
                indexed; of an indexed record only if it is allowed, of a new one always.
            gone: keys of records that are no longer there.
            mode: how to rank; default is the library's. By words only records that share one are found.

        Raises:
            RetrievalError: vectors are asked for and none are there.
        """
        changed = changed or {}
        eligible = self._eligible(allowed, changed, gone)
        own = {key: new for key, new in changed.items() if key not in gone and self._is_allowed(key, allowed)}
        mode = mode or self._mode
        if mode == "lexical":
            return self._by_words(text, k, eligible, own)
        if mode == "vector":
            return self._by_vectors(text, k, eligible, own)
        depth = max(k, _DEPTH)
        rankings = (
            self._by_words(text, depth, eligible, own),
            self._by_vectors(text, depth, eligible, own),
        )
        return fused(rankings, k)

    def _is_allowed(self, key: str, allowed: NDArray[np.bool_] | None) -> bool:
        place = self._places.get(key)
        return allowed is None or place is None or bool(allowed[place])

    def _eligible(
        self, allowed: NDArray[np.bool_] | None, changed: Mapping[str, str], gone: Keys[str]
    ) -> NDArray[np.bool_] | None:
        """The indexed texts that may be found: allowed ones that are unchanged."""
        stale = [self._places[key] for key in (*changed, *gone) if key in self._places]
        if not stale:
            return allowed
        eligible = np.ones(len(self.keys), dtype=np.bool_) if allowed is None else allowed.copy()
        eligible[stale] = False
        return eligible

    def _by_words(
        self, text: str, k: int, eligible: NDArray[np.bool_] | None, own: Mapping[str, str]
    ) -> list[Hit]:
        scores = self._words.scores(text, eligible, own)
        places = np.flatnonzero(scores.indexed > 0)
        places = places[best(scores.indexed[places], k)]
        table = {self.keys[place]: float(scores.indexed[place]) for place in places.tolist()}
        table.update((key, score) for key, score in scores.others.items() if score > 0)
        return ranked(table, k)

    def _by_vectors(
        self, text: str, k: int, eligible: NDArray[np.bool_] | None, own: Mapping[str, str]
    ) -> list[Hit]:
        if self._vectors is None or self._embedder is None:
            raise RetrievalError(
                "no vectors to search by", where=self.source, hint="make an index with `worksmith index`"
            )
        embedder = self._embedder()
        query = embedder.query(text)
        found = self._vectors.nearest(query, k, eligible)
        table = {
            self.keys[place]: float(score) for place, score in zip(found.places, found.scores, strict=True)
        }
        for key, new in own.items():
            rows = embedder.passages(new)
            table[key] = float(similarities(rows, np.arange(len(rows)), query).max())
        return ranked(table, k)


def in_memory(source: str, documents: Iterable[Document], mode: Mode) -> Collection:
    """An index by words only, made in memory."""
    found = by_key(source, documents)
    words = WordIndex(index_words([document.text for document in found.values()]))
    return Collection(source, list(found), words, mode)
