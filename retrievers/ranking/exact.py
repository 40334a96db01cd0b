"""Exact nearest neighbours among vectors in memory, any of which can be left out before ranking."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.ranking.hits import best

_SPARSE = 0.2
"""Up to this share of the rows it is faster to copy them together first than to multiply with all."""

_DIGITS = 9
"""Scores are rounded, so that the last digits never decide a tie."""

_SLACK = 1e-5
"""How far products in single precision may be off, by the way in which they are computed, and then some."""

_BLOCK = 4096


class Nearest(NamedTuple):
    """Records found, by their place, best first."""

    places: NDArray[np.intp]
    scores: NDArray[np.float64]


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
        rows = None if eligible is None else np.flatnonzero(eligible[self._owners])
        owners = self._owners if rows is None else self._owners[rows]
        if owners.size == 0 or k <= 0:
            return Nearest(np.empty(0, dtype=np.intp), np.empty(0))
        products = self._products(query, rows)
        near = np.flatnonzero(products >= _least(np.maximum.reduceat(products, _firsts(owners)), k))
        return nearest_of(self._matrix, self._owners, near if rows is None else rows[near], query, k)

    def _products(self, query: NDArray[np.float32], rows: NDArray[np.intp] | None) -> NDArray[np.float32]:
        # Not by BLAS, whose threads wait for each other where cores are busy: ten times longer, and no
        # faster on one core, since reading the matrix is what takes the time.
        products: NDArray[np.float32]
        if rows is not None and rows.size < _SPARSE * len(self._owners):
            products = np.einsum("ij,j->i", self._matrix[rows], query)
        else:
            products = np.einsum("ij,j->i", self._matrix, query)
            products = products if rows is None else products[rows]
        return products


def nearest_of(
    matrix: NDArray[np.float32],
    owners: NDArray[np.int32],
    rows: NDArray[np.intp],
    query: NDArray[np.float32],
    k: int,
) -> Nearest:
    """The `k` nearest records by some rows, which are in order; arguments as in `ExactVectors`."""
    if rows.size == 0 or k <= 0:
        return Nearest(np.empty(0, dtype=np.intp), np.empty(0))
    owners = owners[rows]
    firsts = _firsts(owners)
    scores = np.maximum.reduceat(similarities(matrix, rows, query), firsts)
    places = best(scores, k)
    return Nearest(owners[firsts[places]].astype(np.intp), scores[places])


def similarities(
    matrix: NDArray[np.float32], rows: NDArray[np.intp], query: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The product of rows with a vector, the same to the last digit with any other rows."""
    exact = query.astype(np.float64)
    blocks = [
        np.einsum("ij,j->i", matrix[rows[start : start + _BLOCK]].astype(np.float64), exact)
        for start in range(0, len(rows), _BLOCK)
    ]
    return np.concatenate(blocks).round(_DIGITS)


def _least(scores: NDArray[np.float32], k: int) -> float:
    """A bound that the `k` greatest scores reach, however they were rounded."""
    if k >= scores.size:
        return -np.inf
    return float(np.partition(scores, scores.size - k)[scores.size - k]) - _SLACK


def _firsts(owners: NDArray[np.int32]) -> NDArray[np.intp]:
    """Where the passages of the next record begin."""
    return np.flatnonzero(np.diff(owners, prepend=-1))
