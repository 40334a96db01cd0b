"""Intervals and tests for agents measured on the same tasks.

Every function is a pure function of its arguments; what draws at random takes a seed. numpy is imported
only by the functions that resample.

Sources: Wilson (1927) for one proportion; Newcombe (1998) on why the plain normal interval fails near 0
and 1; McNemar (1947) in its exact binomial form; Chen et al. (2021) for the unbiased pass@k, from which
pass^k follows by asking that all, not any, of k attempts succeed; Zou and Donner (2008) on intervals of sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeVar

from tools.seeding import digest

K = TypeVar("K", bound=Hashable)

CONFIDENCE = 0.95
RESAMPLES = 10_000


class Interval(NamedTuple):
    """An estimate with its confidence interval; `n` is the number of independent units behind it."""

    value: float
    low: float
    high: float
    n: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


NOTHING = Interval(math.nan, math.nan, math.nan, 0)
"""The estimate from no data at all."""


def wilson(successes: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval for a proportion.

    Raises:
        ValueError: `successes` is not between 0 and `n`.
    """
    if n == 0:
        return NOTHING
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    # The bounds meet the estimate at 0 and 1, where rounding would otherwise put them past it.
    return Interval(share, min(max(0.0, centre - half), share), max(min(1.0, centre + half), share), n)


def mean(clusters: Mapping[K, Sequence[float]], *, seed: int = 0, key: str = "mean") -> Interval:
    """The mean over all values with an interval that knows which of them belong together.

    `clusters` holds the values of each independent unit, e.g. the trials of each task. One 0/1 value a
    cluster is a proportion and gets Wilson's interval; everything else is bootstrapped over clusters.
    """
    groups = [list(values) for values in clusters.values() if len(values)]
    values = [value for group in groups for value in group]
    if not values:
        return NOTHING
    if len(values) == len(groups) and set(values) <= {0.0, 1.0}:
        return wilson(sum(values), len(values))
    value = math.fsum(values) / len(values)
    low, high = _bootstrap(
        [math.fsum(group) for group in groups], [len(group) for group in groups], seed, key
    )
    if low == high and set(values) <= {0.0, 1.0}:
        # All trials agree everywhere: resampling sees no spread, the number of tasks still bounds it.
        bounds = wilson(value * len(groups), len(groups))
        low, high = bounds.low, bounds.high
    return Interval(value, low, high, len(groups))


def mean_of(parts: Sequence[Interval]) -> Interval:
    """The mean of estimates from separate units, each of which counts the same however many it has.

    The distances from the estimates to their bounds add up as the sides of a right angle do. Unlike
    resampling, this says how little is known of a part in which everything, or nothing, succeeded. Parts
    without data are left out.
    """
    known = [part for part in parts if not math.isnan(part.value)]
    if not known:
        return NOTHING
    value = math.fsum(part.value for part in known) / len(known)
    below = math.hypot(*(part.value - part.low for part in known)) / len(known)
    above = math.hypot(*(part.high - part.value for part in known)) / len(known)
    return Interval(value, value - below, value + above, sum(part.n for part in known))


def paired_difference(
    ours: Mapping[K, Sequence[float]],
    theirs: Mapping[K, Sequence[float]],
    *,
    seed: int = 0,
    key: str = "difference",
) -> Interval:
    """Mean of `ours` minus mean of `theirs` over the units both have, bootstrapped over units.

    Where all units differ by the same amount, resampling would claim certainty; for scores between 0
    and 1 the interval is then what Wilson's says of zero exceptions among so many, in both directions.
    """
    shared = [unit for unit in ours if len(ours[unit]) and len(theirs.get(unit, ()))]
    if not shared:
        return NOTHING
    differences = [_mean(ours[unit]) - _mean(theirs[unit]) for unit in shared]
    value = math.fsum(differences) / len(differences)
    if all(difference == differences[0] for difference in differences):
        return _unanimous(value, len(shared))
    low, high = _bootstrap(differences, [1] * len(differences), seed, key)
    return Interval(value, low, high, len(shared))


def _unanimous(value: float, n: int) -> Interval:
    if abs(value) > 1:
        return Interval(value, value, value, n)
    reach = wilson(0, n).high
    return Interval(value, max(-1.0, value - reach), min(1.0, value + reach), n)


class McNemar(NamedTuple):
    """Units only we solved, units only they solved, and how surprising that split is."""

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


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for testing them all (Holm's step-down), in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def pass_hat_k(successes: int, trials: int, k: int) -> float:
    """The unbiased estimate of the chance that k independent attempts at one task all succeed.

    Raises:
        ValueError: `k` is not between 1 and `trials`, or `successes` not between 0 and `trials`.
    """
    if not 1 <= k <= trials or not 0 <= successes <= trials:
        raise ValueError(f"pass^{k} of {successes} successes in {trials} trials")
    return math.comb(successes, k) / math.comb(trials, k)


def pass_hat(clusters: Mapping[K, Sequence[float]], k: int, *, seed: int = 0) -> Interval:
    """pass^k averaged over the tasks with at least k trials, bootstrapped over tasks."""
    return _averaged(pass_hat_k, clusters, k, seed=seed, key=f"pass^{k}")


def pass_at_k(successes: int, trials: int, k: int) -> float:
    """The unbiased estimate of the chance that at least one of k independent attempts at a task succeeds.

    Raises:
        ValueError: see `pass_hat_k`.
    """
    return 1 - pass_hat_k(trials - successes, trials, k)


def pass_at(clusters: Mapping[K, Sequence[float]], k: int, *, seed: int = 0) -> Interval:
    """pass@k averaged over the tasks with at least k trials, bootstrapped over tasks."""
    return _averaged(pass_at_k, clusters, k, seed=seed, key=f"pass@{k}")


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which `share` of the values lie, interpolated; nan for none."""
    ordered = sorted(values)
    if not ordered:
        return math.nan
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _averaged(
    estimate: Callable[[int, int, int], float],
    clusters: Mapping[K, Sequence[float]],
    k: int,
    *,
    seed: int,
    key: str,
) -> Interval:
    estimates = {
        unit: [estimate(sum(1 for value in values if value >= 1), len(values), k)]
        for unit, values in clusters.items()
        if len(values) >= k
    }
    return mean(estimates, seed=seed, key=key)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _bootstrap(totals: Sequence[float], sizes: Sequence[int], seed: int, key: str) -> tuple[float, float]:
    """Percentile interval of sum(totals) / sum(sizes) over clusters drawn with replacement."""
    if all(total * sizes[0] == totals[0] * size for total, size in zip(totals, sizes, strict=True)):
        return totals[0] / sizes[0], totals[0] / sizes[0]  # every resample is the same

    import numpy as np

    generator = np.random.Generator(np.random.PCG64(int(digest([seed, key]), 16)))
    total, size = np.asarray(totals, dtype=float), np.asarray(sizes, dtype=float)
    estimates = np.empty(RESAMPLES)
    # In blocks, so that the drawn indices of a large task set do not fill the memory.
    block = max(1, 4_000_000 // max(1, len(total)))
    for start in range(0, RESAMPLES, block):
        count = min(block, RESAMPLES - start)
        drawn = generator.integers(0, len(total), size=(count, len(total)))
        estimates[start : start + count] = total[drawn].sum(axis=1) / size[drawn].sum(axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(estimates, [tail, 1 - tail])
    return float(low), float(high)
