"""Adaptive concurrency: how many requests a model gets at once."""

from __future__ import annotations

import math
from statistics import median

_DECREASE = 0.7
_LATENCY_DECREASE = 0.9
_SLOW = 3.0
"""Times the latency of the fastest round that count as rising latency."""

_ROUND = 20
"""The fewest replies by whose median latency a round is judged."""


class Concurrency:
    """A limit of requests in flight: additive increase, multiplicative decrease.

    It begins at the ceiling. A refusal for too many requests multiplies it by 0.7, a round of replies whose
    median latency is three times that of the fastest round by 0.9; each round of replies adds 1.

    Args:
        ceiling: None for no ceiling.

    Attributes:
        limit: infinite before a refusal, without a ceiling.
    """

    def __init__(self, ceiling: int | None = None) -> None:
        self._ceiling = math.inf if ceiling is None else float(ceiling)
        self.limit = self._ceiling
        self._decreased = -math.inf
        self._round: list[float] = []
        self._fastest = math.inf

    def refused(self, in_flight: int, sent: float, now: float) -> None:
        """Take note of a refusal for too many requests.

        Args:
            in_flight: requests that were, this one included.
            sent: when the request was sent. Refusals of requests that were sent before the last decrease do
                not count.
        """
        if sent >= self._decreased:
            self._decrease(_DECREASE, in_flight, now)

    def answered(self, in_flight: int, seconds: float, now: float) -> None:
        """Take note of a reply.

        Args:
            in_flight: requests that were, this one included.
            seconds: from the request to the reply.
        """
        if self.limit < self._ceiling:
            self.limit = min(self._ceiling, self.limit + 1 / self.limit)
        self._round.append(seconds)
        if len(self._round) < max(_ROUND, in_flight):
            return
        latency, self._round = median(self._round), []
        self._fastest = min(self._fastest, latency)
        if latency > _SLOW * self._fastest:
            self._decrease(_LATENCY_DECREASE, in_flight, now)

    def _decrease(self, factor: float, in_flight: int, now: float) -> None:
        self._decreased = now
        self.limit = max(1.0, factor * min(self.limit, max(1, in_flight)))
