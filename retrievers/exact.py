"""Exact nearest neighbours among vectors in memory, any of which can be left out before ranking."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from retrievers.ranking import best

_SPARSE = 0.4
"""Up to this share of the rows it is faster to copy them together first than to multiply with all."""

_DIGITS = 6
"""Scores are rounded: the last digits depend on how a product was computed and must not decide a tie."""


class Nearest(NamedTuple):
    """Records found, by their place, best first."""

    places: NDArray[np.intp]
    scores: NDArray[np.float32]


class Vectors(Protocol):
    """The vectors of a source's records; a record has one for each of its passages."""

    def nearest(self, query: NDArray[np.float32], k: int, eligible: NDArray[np.bool_] | None) -> Nearest:
        """The `k` records whose best passage is nearest, ties in order of place.

        Args:
            eligible: for each record whether it may be found; None is all.
        """
        ...


class ExactVectors:
    """All vectors as one matrix. Finds exactly what comparing with each of them would.

    Args:
        matrix: unit rows, one a passage, the passages of a record together and records in order.
        owners: the record of each passage.
    """

    def __init__(self, matrix: NDArray[np.float32], owners: NDArray[np.int32]) -> None:
        self._matrix = matrix
        self._owners = owners

    def nearest(self, query: NDArray[np.float32], k: int, eligible: NDArray[np.bool_] | None) -> Nearest:
        """The `k` records whose best passage is nearest, ties in order of place."""
        rows = None if eligible is None else np.flatnonzero(eligible[self._owners])
        owners = self._owners if rows is None else self._owners[rows]
        if owners.size == 0:
            return Nearest(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        scores = np.maximum.reduceat(self._products(query, rows), firsts).round(_DIGITS)
        places = best(scores, k)
        return Nearest(owners[firsts[places]].astype(np.intp), scores[places])

    def _products(self, query: NDArray[np.float32], rows: NDArray[np.intp] | None) -> NDArray[np.float32]:
        if rows is None:
            products: NDArray[np.float32] = self._matrix @ query
        elif rows.size < _SPARSE * len(self._owners):
            products = self._matrix[rows] @ query
        else:
            products = (self._matrix @ query)[rows]
        return products
