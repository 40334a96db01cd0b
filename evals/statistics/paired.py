"""Comparing two programs on the same tasks: differences with intervals, tests, and many tests at once.

Sources: McNemar (1947) in its exact binomial form; Fisher (1935) on tests that exchange signs; Holm (1979).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from worksmith.evals.statistics.intervals import CONFIDENCE, NOTHING, Interval, wilson
from worksmith.evals.statistics.spread import Spread, t_quantile
from worksmith.tools.seeding import digest

K = TypeVar("K", bound=Hashable)

SIGNS = 10_000
"""Exchanges of signs that are drawn if there are too many to enumerate."""

_BLOCKS = 10

_MOST_STEPS = 40_000_000
"""The most work for enumerating all exchanges of signs: groups times the sum of whole differences."""


def paired_difference(
    ours: Mapping[K, Sequence[float]],
    theirs: Mapping[K, Sequence[float]],
    groups: Mapping[K, Hashable] | None = None,
) -> Interval:
    """Mean of `ours` minus mean of `theirs` over the units both have; `groups` as in `mean`.

    If all units differ by the same amount, their spread is 0; for scores between 0 and 1 the interval is then
    Wilson's for zero exceptions among this number, in both directions.
    """
    found = differences(ours, theirs)
    if not found:
        return NOTHING
    grouped = groups is not None and len({groups[unit] for unit in found}) < len(found)
    spread = Spread.of({unit: [value] for unit, value in found.items()}, groups)
    count = spread.groups if grouped else 0
    if spread.variance == 0:
        return _unanimous(spread.mean, spread.groups)._replace(n=len(found), groups=count)
    reach = t_quantile(spread.cautious_degrees, CONFIDENCE) * math.sqrt(spread.variance)
    low, high = spread.mean - reach, spread.mean + reach
    if all(abs(value) <= 1 for value in found.values()):
        low, high = max(-1.0, low), min(1.0, high)
    return Interval(spread.mean, low, high, len(found), count)


def differences(ours: Mapping[K, Sequence[float]], theirs: Mapping[K, Sequence[float]]) -> dict[K, float]:
    """Mean of `ours` minus mean of `theirs`, for each common unit."""
    return {
        unit: math.fsum(values) / len(values) - math.fsum(theirs[unit]) / len(theirs[unit])
        for unit, values in ours.items()
        if len(values) and len(theirs.get(unit, ()))
    }


def _unanimous(value: float, n: int) -> Interval:
    if abs(value) > 1:
        return Interval(value, value, value, n)
    reach = wilson(0, n).high
    return Interval(value, max(-1.0, value - reach), min(1.0, value + reach), n)


class McNemar(NamedTuple):
    """The units that only one of two programs solved, and the p value of that split."""

    only_ours: int
    only_theirs: int
    p: float


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> McNemar:
    """The exact two-sided McNemar test on paired successes.

    Raises:
        ValueError: the two sequences differ in length.
    """
    pairs = list(zip(ours, theirs, strict=True))
    only_ours = sum(1 for a, b in pairs if a and not b)
    only_theirs = sum(1 for a, b in pairs if b and not a)
    return McNemar(only_ours, only_theirs, _two_sided_binomial(only_ours, only_theirs))


def _two_sided_binomial(a: int, b: int) -> float:
    n = a + b
    if n == 0:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(min(a, b) + 1))
    return min(1.0, float(2 * tail / 2**n))


def exchange_test(
    found: Mapping[K, float], groups: Mapping[K, Hashable] | None = None, *, seed: int = 0
) -> float:
    """The p value of the hypothesis that two programs are exchangeable.

    Under it, each group's difference is as likely with the other sign. It is not a test of equal means: where
    differences are skewed, as with small gains and rare large losses, it finds one too often.
    `worksmith.evals.statistics.sequential` tests means. All exchanges of signs are enumerated
    if differences are multiples of one fraction, as those of yes or no are; with one such difference a group
    this is McNemar's exact test. Otherwise `SIGNS` exchanges are drawn.

    Args:
        found: the difference of each unit, see `differences`.
        groups: the group of each unit; a group keeps one sign. None for no groups.
    """
    sums: dict[Hashable, float] = {}
    for unit, value in found.items():
        name = unit if groups is None else groups[unit]
        sums[name] = sums.get(name, 0.0) + value
    sizes = sorted(abs(value) for value in sums.values() if abs(value) > 1e-12)
    if not sizes:
        return 1.0
    reached = abs(math.fsum(sums.values()))
    whole = _whole(sizes)
    if whole is not None:
        return _all_exchanges(whole, round(reached * whole[0] / sizes[0]))
    return _some_exchanges(sizes, reached, seed)


def _whole(sizes: Sequence[float]) -> list[int] | None:
    """The sizes as multiples of the largest fraction 1/m that they share, for m up to 60."""
    for parts in range(1, 61):
        scaled = [size * parts for size in sizes]
        if all(abs(value - round(value)) < 1e-6 for value in scaled):
            whole = [round(value) for value in scaled]
            return whole if sum(whole) * len(whole) <= _MOST_STEPS else None
    return None


def _all_exchanges(sizes: Sequence[int], reached: int) -> float:
    """The share of all exchanges of signs whose sum is as far from zero."""
    import numpy as np

    reach = sum(sizes)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in sizes:
        up, down = np.zeros_like(chances), np.zeros_like(chances)
        up[size:] = chances[: len(chances) - size]
        down[: len(chances) - size] = chances[size:]
        chances = (up + down) / 2
    far = np.abs(np.arange(-reach, reach + 1)) >= reached
    return min(1.0, float(chances[far].sum()))


def _some_exchanges(sizes: Sequence[float], reached: float, seed: int) -> float:
    """The same from drawn exchanges; the observed signs count as one of them."""
    import numpy as np

    # Signs drawn once for all data would make the same error again and again. The sizes do not depend on the
    # observed signs, so that the test is exact for any number of draws.
    drawn = digest([seed, "exchange", [float(size) for size in sizes]])
    generator = np.random.Generator(np.random.PCG64(int(drawn, 16)))
    values, hits = np.asarray(sizes), 0
    for _ in range(_BLOCKS):  # so that the signs of a large task set do not fill the memory
        signs = generator.integers(0, 2, size=(SIGNS // _BLOCKS, len(values))) * 2 - 1
        hits += int((np.abs(signs @ values) >= reached - 1e-9).sum())
    return (hits + 1) / (SIGNS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for testing them all (Holm's step-down), in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
