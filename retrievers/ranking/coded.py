"""Exact nearest neighbours among vectors that stay on disk: short codes rule most of them out.

A code is the vector in the directions in which the vectors of a source differ most, rounded to 8 bits. For
each row it is known how far a product with its code may be off, so all that is left out is proven to be
farther. The rest is compared with the vectors themselves. Results are those of `ExactVectors`, to the last
digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.ranking.exact import Nearest, nearest_of

HEAD = 64
"""Directions that are compared first. In texts of one kind they hold most of the length."""

_SAMPLE = 20_000
"""Rows from which the directions are found."""

_FEW = 8_192
"""So many rows are compared with the vectors themselves; more are compared with whole codes first."""

_BLOCK = 4_096

_SLACK = 1e-5
"""How far sums in single precision may be off."""

Floats = NDArray[np.float32]


class Codes(NamedTuple):
    """The codes of a matrix, one for each row.

    Attributes:
        head, tail: 8-bit numbers, of shape (rows, HEAD) and (rows, dimension - HEAD).
        scales: the steps of each row's numbers in head and tail, of shape (2, rows).
        rest: the length of each row's tail.
        error: the greatest distances of a row from its code, in the head and as a whole.
        rotation: from vectors to the directions of codes, of shape (dimension, dimension).
    """

    head: NDArray[np.int8]
    tail: NDArray[np.int8]
    scales: Floats
    rest: Floats
    error: Floats
    rotation: Floats

    def check(self, rows: int, dimension: int) -> None:
        """See that these can be the codes of a matrix of this shape."""
        head = min(HEAD, dimension)
        numbers = ((self.head, (rows, head)), (self.tail, (rows, dimension - head)))
        floats = (
            (self.scales, (2, rows)),
            (self.rest, (rows,)),
            (self.error, (2,)),
            (self.rotation, (dimension, dimension)),
        )
        sound = all(part.shape == shape and part.dtype == np.int8 for part, shape in numbers)
        if not sound or any(part.shape != shape or part.dtype != np.float32 for part, shape in floats):
            raise ValueError("codes of another shape")


def encode(matrix: Floats) -> Codes:
    """The codes of unit rows. Reads the matrix twice, in blocks."""
    rows, dimension = matrix.shape
    sample = np.asarray(matrix[:: max(1, rows // _SAMPLE)], dtype=np.float64)
    rotation = np.linalg.eigh(sample.T @ sample)[1][:, ::-1].astype(np.float32)
    head = min(HEAD, dimension)
    codes = Codes(
        np.empty((rows, head), dtype=np.int8),
        np.empty((rows, dimension - head), dtype=np.int8),
        np.empty((2, rows), dtype=np.float32),
        np.empty(rows, dtype=np.float32),
        np.zeros(2, dtype=np.float32),
        rotation,
    )
    for start in range(0, rows, _BLOCK):
        span = slice(start, start + _BLOCK)
        turned = matrix[span] @ rotation
        off = np.zeros(len(turned), dtype=np.float32)
        for side, (numbers, part) in enumerate(
            ((codes.head, turned[:, :head]), (codes.tail, turned[:, head:]))
        ):
            scales = np.abs(part).max(axis=1, initial=0) / 127
            scales[scales == 0] = 1
            numbers[span] = np.rint(part / scales[:, None])
            codes.scales[side, span] = scales
            off += np.square(part - numbers[span] * scales[:, None]).sum(axis=1)
            codes.error[side] = max(codes.error[side], np.sqrt(off.max()))
        codes.rest[span] = np.linalg.norm(turned[:, head:], axis=1)
    return codes


class CodedVectors:
    """Vectors on disk with their codes. Finds exactly what comparing with each of them would.

    Args:
        matrix: unit rows, as in `ExactVectors`; only few are read in a search.
        owners: the record of each passage.
    """

    def __init__(self, matrix: Floats, owners: NDArray[np.int32], codes: Codes) -> None:
        self._matrix = matrix
        self._owners = owners
        self._codes = codes
        self._most = int(np.bincount(owners).max(initial=1))

    def nearest(self, query: Floats, k: int, eligible: NDArray[np.bool_] | None) -> Nearest:
        rows = None if eligible is None else np.flatnonzero(eligible[self._owners])
        size = len(self._owners) if rows is None else rows.size
        if k > 0 and size > _FEW:
            rows = self._near(query, k * self._most, rows)
        return nearest_of(self._matrix, self._owners, np.arange(size) if rows is None else rows, query, k)

    def _near(self, query: Floats, count: int, rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Rows among which the `count` nearest are."""
        codes = self._codes
        turned = query @ codes.rotation
        head = codes.head.shape[1]
        length = np.float32(np.linalg.norm(query))
        near, whole = codes.error * length + np.float32(_SLACK)
        products = _products(codes.head, turned[:head], rows)
        products *= _of(codes.scales[0], rows)
        doubt = _of(codes.rest, rows) * np.linalg.norm(turned[head:]).astype(np.float32)
        kept = _reaching(products - doubt, products + doubt, count, 2 * near)
        if kept.size > max(_FEW, 2 * count):
            rows = kept if rows is None else rows[kept]
            products = products[kept] + _products(codes.tail, turned[head:], rows) * codes.scales[1][rows]
            kept = _reaching(products, products, count, 2 * whole)
        return kept if rows is None else rows[kept]


def _of(values: Floats, rows: NDArray[np.intp] | None) -> Floats:
    return values if rows is None else values[rows]


def _reaching(least: Floats, most: Floats, count: int, off: np.float32) -> NDArray[np.intp]:
    """Places whose `most` reaches the `count`-th greatest of `least`, where both may be off."""
    if count >= least.size:
        return np.arange(least.size)
    bound = np.partition(least, least.size - count)[least.size - count]
    return np.flatnonzero(most >= bound - off)


def _products(codes: NDArray[np.int8], query: Floats, rows: NDArray[np.intp] | None) -> Floats:
    """The products of codes with a vector: of all rows, or of some."""
    size = len(codes) if rows is None else len(rows)
    products = np.empty(size, dtype=np.float32)
    block = max(1, _BLOCK * HEAD // max(1, codes.shape[1]))
    numbers = np.empty((block, codes.shape[1]), dtype=np.float32)
    for start in range(0, size, block):
        span = slice(start, start + block)
        part = codes[span] if rows is None else codes[rows[span]]
        place = numbers[: len(part)]
        np.copyto(place, part)
        np.einsum("ij,j->i", place, query, out=products[span])
    return products
