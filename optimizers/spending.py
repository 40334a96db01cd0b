"""What episodes take: calls, tokens, dollars, seconds, and how much one more will probably take."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from evals.prices import Prices

if TYPE_CHECKING:
    from evals.record import EpisodeRecord
    from tools.episode import EpisodeResult

_GOLD = "scripted/gold-"
"""How the name of whoever follows gold plans begins."""

_DEVIATIONS = 2.0
"""By how many standard deviations above the mean an episode's cost is taken for probable."""


@dataclass(frozen=True)
class Spent:
    """What was spent, in the units of the limits; seconds only of episodes, see `Budget.seconds`."""

    calls: float = 0
    tokens: float = 0
    usd: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(a + b for a, b in zip(self.values, other.values, strict=True)))

    def __sub__(self, other: Spent) -> Spent:
        return Spent(*(a - b for a, b in zip(self.values, other.values, strict=True)))

    @property
    def values(self) -> tuple[float, ...]:
        """In the order of the fields."""
        return (self.calls, self.tokens, self.usd, self.seconds)

    @classmethod
    def by(cls, episode: EpisodeRecord | EpisodeResult, model: str, prices: Prices) -> Self:
        """By one episode of a program that asks `model`; what judging it took is no part of it."""
        asked = 0 if model.startswith(_GOLD) else episode.model_calls - sum(a.cached for a in episode.asks)
        price = prices.price(model)
        usd = price.of(episode.prompt_tokens, episode.completion_tokens) if price else 0.0
        return cls(asked, episode.prompt_tokens + episode.completion_tokens, usd, episode.seconds)


class Costs:
    """Mean and spread of what things of one kind took (Welford's method)."""

    def __init__(self) -> None:
        self.number = 0
        self._means = [0.0] * len(fields(Spent))
        self._squares = [0.0] * len(fields(Spent))

    def add(self, took: Spent) -> None:
        """Take in one more."""
        self.number += 1
        for place, value in enumerate(took.values):
            off = value - self._means[place]
            self._means[place] += off / self.number
            self._squares[place] += off * (value - self._means[place])

    @property
    def mean(self) -> Spent:
        """The mean; nothing without any."""
        return Spent(*self._means)

    @property
    def high(self) -> Spent:
        """What is hardly exceeded; of a single one twice what it took."""
        if self.number < 2:
            return Spent(*(2 * mean for mean in self._means))
        spread = [_DEVIATIONS * math.sqrt(square / (self.number - 1)) for square in self._squares]
        return Spent(*(mean + more for mean, more in zip(self._means, spread, strict=True)))
