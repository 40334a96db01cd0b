"""Search hits: the best of many scores, and several rankings fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Hit(NamedTuple):
    """A text that was found; a greater score is nearer to the query."""

    key: str
    score: float


class TextIndex(Protocol):
    """Finds the stored texts nearest to a text. Immutable and thread-safe."""

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` nearest, best first, ties by key, never one of `exclude`."""
        ...


DAMPING = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


def best(scores: NDArray[np.floating[Any]], k: int) -> NDArray[np.intp]:
    """Where the `k` greatest scores stand, greatest first, ties in order of place."""
    if k <= 0 or scores.size == 0:
        return np.empty(0, dtype=np.intp)
    if k < scores.size:
        least = np.partition(scores, scores.size - k)[scores.size - k]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(scores.size)
    # Stable, so that ties stay in order of place.
    order: NDArray[np.intp] = places[np.argsort(-scores[places], kind="stable")][:k]
    return order


def fused(rankings: Iterable[Sequence[Hit]], k: int) -> list[Hit]:
    """One ranking by the sum of reciprocal ranks, ties by key."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.key] = scores.get(hit.key, 0.0) + 1 / (DAMPING + rank)
    return ranked(scores, k)


def ranked(scores: Mapping[str, float], k: int) -> list[Hit]:
    """The `k` best, ties by key."""
    # Rounded, so that the order of additions can never decide a tie.
    order = sorted((-round(score, 9), key) for key, score in scores.items())
    return [Hit(key, -score) for score, key in order[:k]]
