"""The index of one source: searches by words, by vectors, or by both.

A search may be limited to some records and may replace the texts of others. Its result is that of an index
over the resulting texts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.ranking.exact import Vectors, similarities
from worksmith.retrievers.ranking.hits import Hit, best, fused, ranked
from worksmith.retrievers.ranking.words import WordIndex, index_words
from worksmith.retrievers.texts.documents import Document, by_key
from worksmith.retrievers.texts.words import codes

if TYPE_CHECKING:
    from worksmith.retrievers.embedding.models import Embedder

Mode = Literal["hybrid", "vector", "lexical"]
"""The ranking of a search: by vectors, by words (`lexical`), or by both and by codes, fused (`hybrid`)."""

_DEPTH = 100
"""The fewest places of each ranking that are fused."""


class Collection:
    """The searchable texts of one source. Immutable and thread-safe.

    Args:
        source: the name of the source, for messages.
        keys: the keys of the records, in the order of `words` and `vectors`.
        words: the index by words.
        mode: the default ranking.
        vectors: the vectors of the records' passages; None if only words are indexed.
        embedder: gives the model of `vectors`; called at the first search that needs it.
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
        """The mask, of shape (records,), of the indexed records that are among `keys`."""
        mask = np.zeros(len(self.keys), dtype=np.bool_)
        places = self._places
        mask[[places[key] for key in keys if key in places]] = True
        return mask

    def with_changes(
        self, mask: NDArray[np.bool_], changed: Iterable[str], allowed: Container[str]
    ) -> NDArray[np.bool_]:
        """The mask with those of the indexed records `changed` that are `allowed`, and without the others."""
        altered = mask.copy()
        for key in changed:
            if key in self._places:
                altered[self._places[key]] = key in allowed
        return altered

    def search(
        self,
        text: str,
        k: int,
        *,
        allowed: NDArray[np.bool_] | None = None,
        changed: Mapping[str, str] | None = None,
        gone: AbstractSet[str] = frozenset(),
        mode: Mode | None = None,
    ) -> list[Hit]:
        """The `k` records nearest to `text`, best first, ties by key.

        Args:
            allowed: a mask by `mask` of the records that may be found. The others have no influence on the
                result. None allows all.
            changed: texts that were written after the index was made, by key. They replace indexed texts of
                allowed records; texts of new records are always searched.
            gone: keys of deleted records.
            mode: the ranking; None takes the collection's. `lexical` finds only records that share a word
                with `text`.

        Returns:
            At most `k` hits with their scores; the scale of scores depends on the mode.

        Raises:
            RetrievalError: the mode needs vectors and the collection lacks them.
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
            self._by_codes(text, depth, eligible, own),
        )
        return fused(rankings, k)

    def _is_allowed(self, key: str, allowed: NDArray[np.bool_] | None) -> bool:
        place = self._places.get(key)
        return allowed is None or place is None or bool(allowed[place])

    def _eligible(
        self, allowed: NDArray[np.bool_] | None, changed: Mapping[str, str], gone: AbstractSet[str]
    ) -> NDArray[np.bool_] | None:
        """The mask of the indexed texts that may be found: those allowed and unchanged; None for all."""
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
        found = best(scores.indexed, k)
        table = self._table(scores.places[found], scores.indexed[found])
        table.update((key, score) for key, score in scores.others.items() if score > 0)
        return ranked(table, k)

    def _by_codes(
        self, text: str, k: int, eligible: NDArray[np.bool_] | None, own: Mapping[str, str]
    ) -> list[Hit]:
        """The records that have every code of the text; vectors hardly distinguish codes."""
        parts = [self._words.scores(word, eligible, own) for code in codes(text) for word in code]
        if not parts:
            return []
        everywhere = reduce(np.intersect1d, (scores.places for scores in parts))
        having = (scores.indexed[np.searchsorted(scores.places, everywhere)] for scores in parts)
        table = self._table(everywhere, np.sum(list(having), axis=0))
        for key in own:
            found = [scores.others.get(key, 0.0) for scores in parts]
            if all(found):
                table[key] = sum(found)
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
        table = self._table(found.places, found.scores)
        for key, new in own.items():
            rows = embedder.passages(new)
            table[key] = float(similarities(rows, np.arange(len(rows)), query).max())
        return ranked(table, k)

    def _table(self, places: NDArray[np.intp], scores: NDArray[np.float64]) -> dict[str, float]:
        return {
            self.keys[place]: score for place, score in zip(places.tolist(), scores.tolist(), strict=True)
        }


def in_memory(source: str, documents: Iterable[Document], mode: Mode) -> Collection:
    """A collection in memory that is indexed by words only."""
    found = by_key(source, documents)
    words = WordIndex(index_words([document.text for document in found.values()]))
    return Collection(source, list(found), words, mode)
