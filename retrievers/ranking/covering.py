"""The order in which any number of first texts is near all of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence


def covering(rows: Iterable[Sequence[float]], size: int) -> list[int]:
    """The places of `size` texts in that order: greedy facility location.

    The gain of a text only shrinks as others come before it, so most need not be looked at in most steps
    (Minoux 1978).

    Args:
        rows: the similarities of each text to all, read one at a time: all of them would take ten times the
            memory.
    """
    import numpy as np

    likeness = np.empty((size, size))
    for place, row in enumerate(rows):
        likeness[place] = row
    best = np.zeros(size)

    def gain(place: int) -> float:
        # Rounded, so that the order of additions can never decide between equals.
        return round(float(np.maximum(likeness[place] - best, 0.0).sum()), 6)

    # Upper bounds of the gains, the largest first; among equals the earlier one.
    waiting = [(-gain(place), place) for place in range(size)]
    heapq.heapify(waiting)
    found = []
    while waiting:
        known, place = waiting[0]
        now = -gain(place)
        if now > known:
            heapq.heapreplace(waiting, (now, place))
            continue
        heapq.heappop(waiting)
        found.append(place)
        best = np.maximum(best, likeness[place])
    return found
