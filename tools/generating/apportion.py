"""Dividing a number of things among several who get some."""

from __future__ import annotations

import random
from collections.abc import Sequence


def apportion(total: int, shares: Sequence[float], floor: int = 0) -> list[int]:
    """Whole numbers that add up to `total`, in proportion to `shares`, each at least `floor`.

    Largest remainder; the additions of floors are taken from the one most above its share.
    """
    if floor * len(shares) > total:
        raise ValueError(f"{total} is less than {len(shares)} times {floor}")
    whole = sum(shares)
    exact = [total * share / whole for share in shares]
    found = [max(floor, int(value)) for value in exact]
    by_need = sorted(range(len(shares)), key=lambda i: (found[i] - exact[i], i))
    for i in by_need[: max(0, total - sum(found))]:
        found[i] += 1
    while sum(found) > total:
        richest = max((i for i in by_need if found[i] > floor), key=lambda i: (found[i] - exact[i], -i))
        found[richest] -= 1
    return found


def degrees(numbers: random.Random, total: int, count: int, least: int, most: int) -> list[int]:
    """How many of `total` things each of `count` gets: few get many, most get few, in random order.

    A power law of the rank whose exponent is such that the first gets `most`, so that there is one who has
    most. `least` and `most` give way where they do not allow the total.
    """
    least = min(least, max(1, total // (2 * count)))
    spare = total - least * count
    share = min(0.5, max(most - least, 1.2 * spare / count) / spare) if spare else 0.0
    found = [least + more for more in apportion(spare, _ranks(count, share))] if spare else [least] * count
    numbers.shuffle(found)
    return found


def _ranks(count: int, share: float) -> list[float]:
    """Weights 1/rank^a that fall to nothing; by bisection on `a` the first is `share` of their sum."""
    low, high = -3.0, 4.0
    weights = [1.0] * count
    for _ in range(40):
        exponent = (low + high) / 2
        weights = [rank**-exponent - (count + 1) ** -exponent for rank in range(1, count + 1)]
        if weights[0] / sum(weights) < share:
            low = exponent
        else:
            high = exponent
    return weights
