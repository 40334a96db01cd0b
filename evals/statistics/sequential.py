"""Tests that may be looked at after every intent, and for many programs at once.

A test of fixed size is invalid after an early stop that depends on the data. Here evidence is a bet: a
doubter of a null hypothesis starts with 1 and bets on each difference in turn. Under the null the bets are
fair or worse, so the chance that the stock ever reaches 1/alpha is at most alpha, however often one looks and
for whatever reason one stops (Ville 1939).

The unit is the intent: one bet on the mean difference over all its tasks, once they have all been run. Tasks
of one intent are alike, so a bet on each would count one lucky intent as many wins. Means of independently
drawn intents are independent, so the bets are fair or worse if the expected mean difference of an intent is
at most the bound. Nothing else is assumed, neither spread, symmetry nor the number of tasks. A task without
an intent is an intent of its own.

The bets are those of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting, JRSS B
86, 2024): before a difference d in [-1, 1] is seen, a share b of the stock is put on "above zero", and the
stock is multiplied by (1 + b d). The best share depends on the truth, so the stock is spread evenly over a
few fixed ones, and the evidence is their mean. For scores of 0 and 1 and intents of one task this is a
sequential McNemar test.

Few intents can show little. A difference of d in each of n intents gives at most (1 + d)^n, the best possible
without further assumptions: a program that gains d in most intents and loses everything in a few is no better
on average, and wins n in a row with the chance (1 + d)^-n.

Evidence about several hypotheses is adjusted by closed testing with means (Vovk and Wang, E-values:
calibration, combination and applications, Annals of Statistics 49, 2021): a mean of evidence is evidence
about "none of these", however they depend on each other. It never demands more than Bonferroni.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

STAKES = (0.3, 0.6, 0.98)
"""Shares of the stock that are bet on each difference: the smallest for small, noisy differences among many
intents, the largest for few intents."""

_SQUARE = 0.4
"""The largest mean square of differences for which small stakes are used."""

NOTHING = -700.0
"""The logarithm of no evidence."""


def stakes(intents: int, need: float) -> tuple[float, ...]:
    """The stakes for a number of intents; to be fixed before the first bet.

    A stake of b is best for a mean difference of b times the mean square. After n intents it gives about
    n b^2 / 2 times the mean square. Stakes that cannot reach `need` in this way are left out.

    Args:
        need: the logarithm of the evidence that is to be reached.
    """
    smallest = math.sqrt(2 * need / (_SQUARE * max(1, intents)))
    return tuple(stake for stake in STAKES if stake >= smallest) or STAKES[-1:]


class Evidence:
    """The evidence against "an intent's mean difference is on average at most `bound`".

    Args:
        bound: between -1 and 1.
        stakes: shares of the stock to bet, see `stakes`.
    """

    def __init__(self, bound: float = 0.0, stakes: Sequence[float] = STAKES) -> None:
        self._bound = bound
        self._stakes = tuple(stakes)
        self._stocks = [0.0] * len(self._stakes)

    def add(self, differences: Iterable[float]) -> None:
        """Add the mean differences of intents, each between -1 and 1, in any order.

        Raises:
            ValueError: one lies outside.
        """
        for difference, count in Counter(differences).items():
            if not -1 <= difference <= 1:
                raise ValueError(f"a difference of {difference} between scores of 0 to 1")
            # At most 1 in size, so that no bet can lose more than there is.
            gain = (difference - self._bound) / (1 + abs(self._bound))
            for place, stake in enumerate(self._stakes):
                self._stocks[place] += count * math.log1p(stake * gain)

    @property
    def log(self) -> float:
        """The natural logarithm of the evidence; 0 without any differences."""
        return log_mean(self._stocks)


def needed(alpha: float) -> float:
    """The logarithm of the evidence that chance reaches with a probability of at most `alpha`."""
    return -math.log(alpha)


def fewest_intents(alpha: float, candidates: int) -> int:
    """The fewest intents with which a candidate that wins every task has enough evidence."""
    need = needed(alpha / candidates)
    intents = 1
    while True:
        best = Evidence(stakes=stakes(intents, need))
        best.add([1.0] * intents)
        if adjusted([best.log, *[NOTHING] * (candidates - 1)])[0] >= needed(alpha):
            return intents
        intents += 1


def adjusted(logs: Sequence[float]) -> list[float]:
    """Evidence (as logarithms) adjusted for the number of hypotheses, in the order given.

    Hypotheses above `needed(alpha)` are rejected: the chance of a single wrong rejection, at any time, is at
    most alpha.
    """
    if len(logs) == 1:
        return list(logs)
    found = []
    for place, own in enumerate(logs):
        others = sorted([*logs[:place], *logs[place + 1 :]])
        found.append(min(log_mean([own, *others[:count]]) for count in range(len(others) + 1)))
    return found


def log_mean(logs: Sequence[float]) -> float:
    """The logarithm of the mean of numbers given by their logarithms."""
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))
