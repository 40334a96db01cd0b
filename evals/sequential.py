"""Tests that may be looked at after every episode, and for many programs at once.

A test of fixed size says nothing once somebody has stopped early because of what they saw. Here evidence is
money instead: whoever doubts a null hypothesis starts with 1 and bets on each difference in turn. Under the
null the bets are fair or worse, so the chance that the money ever reaches 1/alpha is at most alpha, however
often one looks and for whatever reason one stops (Ville 1939).

The bets are those of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting, JRSS B
86, 2024): before a difference d in [-1, 1] is seen, a share b of the money is put on "above zero", and the
money becomes (1 + b d) times what it was. What share is best depends on the truth, so the money is spread
evenly over a few fixed ones, and the evidence is their mean. For scores of 0 and 1 this is a sequential
McNemar test: ties change nothing, and what counts is who alone solved how many. It needs no variance, no
estimate of how paired scores go together and no table; the price beside a test of fixed size is that a
difference has to be somewhat larger to be shown with the same number of tasks.

Evidence about several hypotheses is adjusted by closed testing with means (Vovk and Wang, E-values:
calibration, combination and applications, Annals of Statistics 49, 2021): a mean of evidence is evidence
about "none of these", however they depend on each other. It never demands more than Bonferroni.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

BETS = (0.2, 0.5, 0.9)
"""Shares of the money that are put on each difference: the smallest finds small and noisy differences, the
next is quick about clear ones, and the largest about those where hardly anything speaks against, as where
one side solves nothing at all. More of them divide the money further and find less."""


class Evidence:
    """The evidence against "paired differences are on average at most `bound`".

    Args:
        bound: between -1 and 1.
    """

    def __init__(self, bound: float = 0.0) -> None:
        self._bound = bound
        self._money = [0.0] * len(BETS)

    def add(self, differences: Iterable[float]) -> None:
        """Take in differences between -1 and 1. Their order does not matter.

        Raises:
            ValueError: one lies outside.
        """
        for difference, count in Counter(differences).items():
            if not -1 <= difference <= 1:
                raise ValueError(f"a difference of {difference} between scores of 0 to 1")
            # At most 1 in size, so that no bet can lose more than there is.
            stake = (difference - self._bound) / (1 + abs(self._bound))
            for place, share in enumerate(BETS):
                self._money[place] += count * math.log1p(share * stake)

    @property
    def log(self) -> float:
        """The natural logarithm of the evidence; 0 without any differences."""
        return log_mean(self._money)


def needed(alpha: float) -> float:
    """The logarithm of the evidence that is reached by chance at most with the probability `alpha`."""
    return -math.log(alpha)


def adjusted(logs: Sequence[float]) -> list[float]:
    """Evidence (as logarithms) adjusted for there being so many hypotheses, in the order given.

    Whatever stands above `needed(alpha)` may be believed: the chance that anything false is among it, at any
    time, is at most alpha.
    """
    found = []
    for place, own in enumerate(logs):
        others = sorted([*logs[:place], *logs[place + 1 :]])
        found.append(min(log_mean([own, *others[:count]]) for count in range(len(others) + 1)))
    return found


def log_mean(logs: Sequence[float]) -> float:
    """The logarithm of the mean of numbers given by their logarithms."""
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))
