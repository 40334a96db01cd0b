"""Nearest neighbours by the vector store itself, for sources that do not fit into memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.index.store import StoredCollection, passage_id
from worksmith.retrievers.ranking.exact import Nearest

_ROOM = 4
"""Passages asked for per record wanted: a record may have several among the nearest."""


class StoreVectors:
    """Nearest neighbours by the store's own search.

    Approximate where many records are eligible. The store gets a list of allowed results, and its results are
    checked against the list again.

    Args:
        keys: of the records, in order.
        counts: passages of each.
    """

    def __init__(self, collection: StoredCollection, keys: Sequence[str], counts: NDArray[np.int32]) -> None:
        self._collection = collection
        self._keys = keys
        self._places = {key: place for place, key in enumerate(keys)}
        self._counts = counts

    def nearest(self, query: NDArray[np.float32], k: int, eligible: NDArray[np.bool_] | None) -> Nearest:
        ids = None if eligible is None else self._ids(eligible)
        total = int(self._counts.sum()) if ids is None else len(ids)
        best: dict[int, float] = {}
        count = min(total, k * _ROOM)
        while count:
            for key, score in self._collection.query(query, count, ids):
                place = self._places[key]
                if eligible is None or eligible[place]:
                    best[place] = max(score, best.get(place, -1.0))
            if len(best) >= k or count == total:
                break
            count = min(total, count * _ROOM)
        order = sorted(best.items(), key=lambda pair: (-round(pair[1], 6), pair[0]))[:k]
        return Nearest(
            np.asarray([place for place, _ in order], dtype=np.intp),
            np.asarray([round(score, 6) for _, score in order]),
        )

    def _ids(self, eligible: NDArray[np.bool_]) -> list[str]:
        return [
            passage_id(self._keys[place], number)
            for place in np.flatnonzero(eligible).tolist()
            for number in range(int(self._counts[place]))
        ]
