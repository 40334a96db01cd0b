"""Tests that may be looked at after every intent, and for many programs at once.

A test of fixed size says nothing once somebody has stopped early because of what they saw. Here evidence is
a bet instead: whoever doubts a null hypothesis starts with 1 and bets on each difference in turn. Under the
null the bets are fair or worse, so the chance that the stock ever reaches 1/alpha is at most alpha, however
often one looks and for whatever reason one stops (Ville 1939).

The unit is the intent: one bet on the mean difference over all its tasks, once they have all been run. Tasks
of one intent are alike, so a bet on each of them would take one lucky intent for many wins. The means of
intents that were drawn independently are independent whatever happens inside an intent, so the bets are fair
or worse if the expected mean difference of an intent is at most the bound. That is all they assume: nothing
about spread, symmetry or the number of tasks. A task without an intent is an intent of its own.

The bets are those of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting, JRSS B
86, 2024): before a difference d in [-1, 1] is seen, a share b of the stock is put on "above zero", and the
stock becomes (1 + b d) times what it was. What share is best depends on the truth, so the stock is spread
evenly over a few fixed ones, and the evidence is their mean. For scores of 0 and 1 and intents of one task
this is a sequential McNemar test.

The price is that few intents can show little. A difference of d in each of n intents gives at most (1 + d)^n,
and nobody can do better without assuming more: a program that gains d in most intents and loses everything in
a few is no better on average, and has such a row of n with the chance (1 + d)^-n.

Evidence about several hypotheses is adjusted by closed testing with means (Vovk and Wang, E-values:
calibration, combination and applications, Annals of Statistics 49, 2021): a mean of evidence is evidence
about "none of these", however they depend on each other. It never demands more than Bonferroni.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

STAKES = (0.3, 0.6, 0.98)
"""Shares of the stock that are put on each difference: the smallest finds small and noisy differences among
many intents, the largest is for few intents, each of which has to say much."""

_SQUARE = 0.4
"""The mean square of differences up to which small stakes are held ready."""

NOTHING = -700.0
"""Logarithm of no evidence whatever."""


def stakes(intents: int, need: float) -> tuple[float, ...]:
    """The stakes that so many intents call for; to be settled before the first bet.

    A stake of b is best for a mean difference of b times the mean square. What it then comes to after n
    intents is about n b^2 / 2 times the mean square. Stakes that cannot reach `need` so are left out.

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
        """Take in the mean differences of intents, each between -1 and 1. Their order does not matter.

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
    """The logarithm of the evidence that is reached by chance at most with the probability `alpha`."""
    return -math.log(alpha)


def fewest_intents(alpha: float, candidates: int) -> int:
    """How many intents it takes at least to show anything about one of so many candidates.

    With fewer the evidence does not suffice even if the candidate wins every task of every intent.
    """
    need = needed(alpha / candidates)
    intents = 1
    while True:
        best = Evidence(stakes=stakes(intents, need))
        best.add([1.0] * intents)
        if adjusted([best.log, *[NOTHING] * (candidates - 1)])[0] >= needed(alpha):
            return intents
        intents += 1


def adjusted(logs: Sequence[float]) -> list[float]:
    """Evidence (as logarithms) adjusted for there being so many hypotheses, in the order given.

    Whatever stands above `needed(alpha)` may be believed: the chance that anything false is among it, at any
    time, is at most alpha.
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
