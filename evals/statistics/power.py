"""Power of comparisons: the tasks that they need, and the smallest difference that they find.

What decides is on how many tasks two programs differ at all (their discordance), not how many they solve. A
comparison sees a difference if a paired test at 5 % finds it 8 times of 10.

Sources: Connor (1987) on the size of samples for McNemar's test; its power with one trial is added up exactly
over how many tasks may differ, since the exact test keeps below 5 % where few do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from worksmith.evals.statistics.intervals import Interval
from worksmith.evals.statistics.spread import t_quantile

ALPHA, POWER = 0.05, 0.8

_MOST_EXACT = 2_000
"""Tasks up to which the exact test is added up; above, its steps no longer count."""
_MOST_TASKS = 10_000_000
_NORMAL = NormalDist()


def discordance_of(rate: float, other: float, agreement: float = 0.5) -> float:
    """The share of tasks on which two programs differ that solve the shares `rate` and `other`.

    Args:
        agreement: the correlation of the solved tasks: 0 for independent ones, 1 for the largest overlap.
    """
    apart = rate * (1 - other) + other * (1 - rate)
    shared = 2 * agreement * math.sqrt(rate * (1 - rate) * other * (1 - other))
    return max(abs(rate - other), apart - shared)


def power(
    tasks: float,
    difference: float,
    discordance: float,
    *,
    trials: int = 1,
    noise: float = 0.5,
    alike: float = 1.0,
) -> float:
    """The chance that a paired test finds a difference.

    Args:
        difference: of the two rates, between 0 and 1.
        discordance: the share of tasks on which single attempts of two equally good programs differ; at least
            the difference.
        trials: attempts at each task; they average chance out.
        noise: the part of the discordance that is chance, as between two attempts of one program.
        alike: the factor by which intents increase the variance; 1 for none.
    """
    size = abs(difference)
    differing = max(discordance, size)
    if size == 0:
        return ALPHA
    if trials == 1 and alike == 1 and tasks <= _MOST_EXACT:
        return _exact_power(round(tasks), size, differing)
    chance = noise / trials + 1 - noise
    spread = math.sqrt(max(0.0, differing * chance - size * size) * alike / tasks)
    if spread == 0:
        return 1.0
    reach = t_quantile(max(1.0, tasks / alike - 1), 1 - ALPHA)
    return _NORMAL.cdf(size / spread - reach)


def smallest_difference(
    tasks: int,
    discordance: Callable[[float], float],
    *,
    trials: int = 1,
    noise: float = 0.5,
    alike: float = 1.0,
) -> float:
    """The smallest difference that is found 8 times of 10; nan if not even 1 is.

    Args:
        discordance: the share of tasks on which programs differ, by their difference.
    """
    low, high = 0.0, 1.0

    def found(size: float) -> bool:
        return power(tasks, size, discordance(size), trials=trials, noise=noise, alike=alike) >= POWER

    if not found(high):
        return math.nan
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def tasks_needed(
    difference: float, discordance: float, *, trials: int = 1, noise: float = 0.5, alike: float = 1.0
) -> int:
    """The number of tasks that find a difference 8 times of 10."""
    if difference == 0:
        raise ValueError("no number of tasks shows that there is no difference")

    def found(tasks: int) -> bool:
        return power(tasks, difference, discordance, trials=trials, noise=noise, alike=alike) >= POWER

    high = 2
    while not found(high):
        high *= 2
        if high > _MOST_TASKS:
            raise ValueError(f"not even {_MOST_TASKS:,} tasks find a difference of {difference:g}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def seen(difference: Interval, *, sides: int = 2) -> float:
    """The difference that a test with such an interval finds 8 times of 10; nan without data.

    Args:
        sides: 1 for a test of a loss alone.
    """
    half = (difference.high - difference.low) / 2
    reach = _NORMAL.inv_cdf(1 - ALPHA / sides) + _NORMAL.inv_cdf(POWER)
    return half * reach / _NORMAL.inv_cdf(1 - ALPHA / 2)


def _exact_power(tasks: int, difference: float, differing: float) -> float:
    """The chance that the better program wins enough of the differing tasks, summed over their number."""
    import numpy as np
    from scipy.special import bdtr, gammaln, xlog1py, xlogy  # slow to import, and rarely needed

    losing = (differing - difference) / 2 / differing
    spread = math.sqrt(tasks * differing * (1 - differing))
    middle = tasks * differing
    counts = np.arange(max(0, int(middle - 8 * spread)), min(tasks, math.ceil(middle + 8 * spread)) + 1)
    ways = gammaln(tasks + 1) - gammaln(counts + 1) - gammaln(tasks - counts + 1)
    chances = np.exp(ways + xlogy(counts, differing) + xlog1py(tasks - counts, -differing))
    # The most tasks that the worse program may win alone where McNemar's exact test is significant; -1: none.
    reached = np.empty(len(counts))
    most = -1
    for place, count in enumerate(counts):
        while 2 * bdtr(most + 1, count, 0.5) <= ALPHA:
            most += 1
        reached[place] = most
    found = np.where(reached < 0, 0.0, bdtr(np.maximum(reached, 0), counts, losing))
    return float((chances * found).sum())
