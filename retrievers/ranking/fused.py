"""Lexical and dense ranking in one: reciprocal rank fusion of words and sentence embeddings."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import regex  # type: ignore[import-untyped]

from worksmith.retrievers.embedding.models import open_embedder
from worksmith.retrievers.ranking.abstraction import without_values
from worksmith.retrievers.ranking.hits import Hit, TextIndex, fused
from worksmith.retrievers.ranking.lexical import LexicalIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LATIN, _SIGN = regex.compile(r"\p{Latin}"), regex.compile(r"[\p{L}\p{Extended_Pictographic}]")


class DenseIndex:
    """Sentence embeddings (all-MiniLM-L6-v2, on the CPU, no download) of texts with slot values folded.

    The model is loaded when the first text is embedded.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._keys = tuple(sorted(texts))
        self._texts = tuple(texts[key] for key in self._keys)
        self._lock = threading.Lock()
        self._matrix: NDArray[Any] | None = None

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        if not self._keys:
            return []
        # Rounded: batching moves the last digits of an embedding.
        scores = (self._embedded() @ embed((text,))[0]).round(5)
        banned = set(exclude)
        ranked = sorted(
            (-float(s), key) for key, s in zip(self._keys, scores, strict=True) if key not in banned
        )
        return [Hit(key, -score) for score, key in ranked[:k]]

    def _embedded(self) -> NDArray[Any]:
        # Without the lock every worker would embed the whole bank when the first queries come in.
        with self._lock:
            if self._matrix is None:
                self._matrix = embed(self._texts)
            return self._matrix

    def __deepcopy__(self, memo: dict[int, Any]) -> DenseIndex:
        return self


class FusedIndex:
    """Ranks by the sum of reciprocal ranks in several indexes over the same keys.

    The first one goes by words. The model of the others knows English, so it ranks for a text in another
    alphabet only if no text has anything in common with that.
    """

    def __init__(self, indexes: Sequence[TextIndex], size: int) -> None:
        self._indexes = tuple(indexes)
        self._size = size

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        banned = tuple(exclude)
        first, *others = self._indexes
        by_words = first.search(text, self._size, exclude=banned)
        related = any(hit.score > 0 for hit in by_words[:1])
        if related and not _is_latin(text):
            return fused([by_words], k)
        by_meaning = [index.search(text, self._size, exclude=banned) for index in others]
        return fused([by_words, *by_meaning] if related else by_meaning, k)


def fused_index(texts: Mapping[str, str], kin: Mapping[str, str] | None = None) -> FusedIndex:
    """Words and embeddings over `texts`, fused; `kin` as for `LexicalIndex`."""
    return FusedIndex((LexicalIndex(texts, kin), DenseIndex(texts)), len(texts))


def _is_latin(text: str) -> bool:
    return 2 * len(_LATIN.findall(text)) > len(_SIGN.findall(text))


def embed(texts: Sequence[str]) -> NDArray[Any]:
    """Unit vectors of texts whose slot values are folded to their type; all other words stay as they are."""
    return open_embedder().embed([without_values(text).replace("_", " ") for text in texts])
