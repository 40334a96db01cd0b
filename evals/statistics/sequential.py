"""The test of whether a program is better than another: valid at every look, and for many programs at once.

A test of fixed size is invalid after an early stop that depends on the data, and most tests assume that
differences are symmetric or normal. Here evidence is a bet: a doubter of a null hypothesis starts with 1 and
bets on each difference in turn. Under the null the bets are fair or worse, so the chance that the stock ever
reaches 1/alpha is at most alpha, at any number of looks and for any reason to stop (Ville 1939).

The unit is the intent: one bet on the mean difference over all its tasks, once they have all been run. Tasks
of one intent are alike, so a bet on each would count one lucky intent as many wins. Means of independently
drawn intents are independent, so the bets are fair or worse if the expected mean difference of an intent is
at most the bound. Nothing else is assumed, neither spread, symmetry nor the number of tasks. A task without
an intent is an intent of its own.

Before a difference d in [-1, 1] is seen, a share b of the stock is put on "above zero", and the stock is
multiplied by (1 + b d) (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting,
JRSS B 86, 2024). The share may depend on all that was seen before. The larger one of two is bet:

* the share with which the evidence that is needed is reached just after the last intent: m b^2 / 2 times the
  mean square of the differences is the logarithm of what is missing, with m intents to come (Voracek and
  Orabona, STaR-Bets, 2025),
* the share with which the stock would have grown most so far, nearly the sum of the differences divided by
  the sum of their squares. It ends a clear case early.

A stock that has reached its goal is not risked again. For scores of 0 and 1 and intents of one task the
power is nearly that of McNemar's exact test. The order of the intents matters a little; it is drawn before
they are run. With many intents such bets use up nearly all of alpha. Intents of one suite are seldom quite
independent, so a part of the stock is then put aside, see `_reserve`.

Few intents can show little. A difference of d in each of n intents gives at most (1 + d)^n, the best possible
without further assumptions: a program that gains d in most intents and loses everything in a few is not
better on average, and wins n in a row with the chance (1 + d)^-n.

Evidence about several hypotheses is adjusted by closed testing with means (Vovk and Wang, E-values:
calibration, combination and applications, Annals of Statistics 49, 2021): a mean of evidence is evidence
about "none of these", however they depend on each other. It never demands more than Bonferroni.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import count

_LARGEST_SHARE = 0.99

_EXPECTED = (0.25, 2)
"""The mean square of differences before any is seen, and how many differences it counts as."""

_RESERVE, _FEW = 0.4, 10
"""With up to `_FEW` intents nothing is put aside; with many a stock of 1 + `_RESERVE` becomes 1."""

_DOUBT = 4
"""Ties, counted as squares of 1, that the share of the largest growth so far is shrunk by."""


class Evidence:
    """The evidence against "an intent's mean difference is on average at most `bound`".

    Attributes:
        log: the natural logarithm of the evidence.
    """

    def __init__(self, intents: int, need: float, bound: float = 0.0, *, reserve: bool = True) -> None:
        """Bet on the differences of `intents` intents.

        Args:
            intents: fixed before the first bet. Fewer may come.
            need: the logarithm of the evidence that is to be reached.
            bound: between -1 and 1.
            reserve: whether a part of the stock is put aside.
        """
        self._to_come = intents
        self._need = need
        self._bound = bound
        self._sum, self._squares, self._count = 0.0, _EXPECTED[0] * _EXPECTED[1], _EXPECTED[1]
        self.log = -_reserve(intents) if reserve else 0.0

    def add(self, differences: Iterable[float]) -> None:
        """Add the mean differences of intents, each between -1 and 1, in the order in which they came."""
        for difference in differences:
            if not -1 <= difference <= 1:
                raise ValueError(f"a difference of {difference} between scores of 0 to 1")
            # At most 1 in size, so that no bet can lose more than there is.
            gain = (difference - self._bound) / (1 + abs(self._bound))
            if self.log < self._need:
                square = self._squares / self._count
                enough = math.sqrt(2 * (self._need - self.log) / (max(1, self._to_come) * square))
                fastest = self._sum / (_DOUBT + self._squares)
                self.log += math.log1p(min(_LARGEST_SHARE, max(enough, fastest)) * gain)
            self._sum += gain
            self._squares += gain**2
            self._count += 1
            self._to_come -= 1


def needed(alpha: float) -> float:
    """The logarithm of the evidence that chance reaches with a probability of at most `alpha`."""
    return -math.log(alpha)


def fewest_intents(alpha: float, candidates: int) -> int:
    """The fewest intents with which a candidate that wins every task has enough evidence."""
    need, most = needed(alpha / candidates), math.log1p(_LARGEST_SHARE)
    return next(n for n in count(math.ceil(need / most)) if n * most >= need + _reserve(n))


def _reserve(intents: int) -> float:
    """The logarithm of the stock before something is put aside, which leaves 1."""
    return math.log1p(_RESERVE * max(0.0, 1 - _FEW / max(1, intents)))


def adjusted(logs: Sequence[float], absent: int = 0) -> list[float]:
    """Evidence (as logarithms) adjusted for the number of hypotheses, in the order given.

    Hypotheses above `needed(alpha)` are rejected: the chance of a single wrong rejection, at any time, is at
    most alpha.

    Args:
        absent: further hypotheses without any evidence.
    """
    found = []
    for place, own in enumerate(logs):
        total, least = own, own - math.log(1 + absent)
        for number, other in enumerate(sorted([*logs[:place], *logs[place + 1 :]]), 2 + absent):
            total = max(total, other) + math.log1p(math.exp(-abs(total - other)))
            least = min(least, total - math.log(number))
        found.append(least)
    return found
