"""Agreement of a judge's levels with those of people: kappa, rank correlation, confusion, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from worksmith.evals.judging.rubric import LEVELS
from worksmith.evals.records.groups import grouped
from worksmith.evals.statistics import Interval
from worksmith.tools.seeding import rng

_RESAMPLES = 1000
_CONFIDENCE = 0.95


def kappa_of(table: Any) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968): 1 is agreement, 0 the level of chance.

    Not a number if both sides always give the same level; 0 if only one side does.

    Args:
        table: as `confusion` gives it.
    """
    observed = table.astype(float)
    n = observed.sum()
    if not n:
        return math.nan
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / n
    levels = np.arange(len(LEVELS))
    weights = (levels[:, None] - levels[None, :]) ** 2
    chance = float((weights * expected).sum())
    return 1 - float((weights * observed).sum()) / chance if chance else math.nan


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Spearman's rank correlation, ties with their mean rank; not a number where one side is constant."""
    if len(xs) < 2:
        return math.nan
    from scipy.stats import rankdata  # slow to import, and rarely needed

    a, b = rankdata(xs), rankdata(ys)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale else math.nan


def spearman_of(table: Any) -> float:
    """`spearman` of the levels in a table, as `confusion` gives it."""
    n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    # The mean rank of each level, from that of all.
    a, b = (np.cumsum(counts) - (counts + n) / 2 for counts in (rows, columns))
    scale = math.sqrt(float(rows @ a**2) * float(columns @ b**2))
    return float(a @ table @ b) / scale if scale else math.nan


def confusion(ours: Sequence[int], theirs: Sequence[int]) -> Any:
    """The number of times a judge gave a level (columns) where people gave another (rows)."""
    table = np.zeros((len(LEVELS), len(LEVELS)), dtype=int)
    for given, right in zip(ours, theirs, strict=True):
        table[right - 1, given - 1] += 1
    return table


def clustered(
    measure: Callable[[Any], float],
    ours: Sequence[int],
    theirs: Sequence[int],
    groups: Sequence[Hashable],
    *,
    seed: int = 0,
) -> Interval:
    """A measure of agreement with its interval, by drawing whole groups with replacement.

    Cases of one group answer one request, so they are not independent.

    Args:
        measure: of a table, as `confusion` gives it.
    """
    members = grouped(zip(groups, zip(ours, theirs, strict=True), strict=True))
    tables = np.array([confusion(*zip(*each, strict=True)) for each in members.values()])
    value = measure(confusion(ours, theirs))
    draw = rng(seed, "agreement")
    found = []
    for _ in range(_RESAMPLES if len(tables) > 1 else 0):
        again = measure(tables[draw.choices(range(len(tables)), k=len(tables))].sum(axis=0))
        if not math.isnan(again):
            found.append(again)
    if not found or math.isnan(value):
        return Interval(value, math.nan, math.nan, len(ours))
    tail = 100 * (1 - _CONFIDENCE) / 2
    low, high = np.percentile(found, [tail, 100 - tail])
    return Interval(value, float(low), float(high), len(ours))
