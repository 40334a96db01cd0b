"""What was spent: calls, tokens and dollars; and what one more episode will probably take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from evals.lm.prices import Prices

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from tools.episode_result import EpisodeResult, Usage

GOLD_PREFIX = "scripted/gold-"
"""How the name of a stand-in that follows gold plans begins. It is no model, and no request is sent."""

_DEVIATIONS = 2.0
"""By how many standard deviations above the mean an episode's cost is taken for probable."""

_DOUBT = 6.0
"""By how many more if the deviation is known from one episode only; the more there are, the fewer."""


@dataclass(frozen=True)
class Spent:
    """What was paid: requests that reached a model, and their tokens."""

    calls: float = 0
    tokens: float = 0
    usd: float = 0.0

    def __add__(self, other: Spent) -> Self:
        return type(self)(self.calls + other.calls, self.tokens + other.tokens, self.usd + other.usd)

    def less(self, other: Spent) -> Spent:
        """What is left of it; nothing is less than nothing."""
        return Spent(
            *(max(0.0, ours - theirs) for ours, theirs in zip(self.values, other.values, strict=True))
        )

    @property
    def values(self) -> tuple[float, float, float]:
        """In the order of the fields."""
        return (self.calls, self.tokens, self.usd)

    @classmethod
    def on(cls, calls: float, prompt: float, completion: float, *, model: str, prices: Prices) -> Self:
        """On so many calls and tokens; an unknown price is not counted, see `Budget.account`."""
        price = prices.price(model)
        return cls(calls, prompt + completion, price.of(prompt, completion) if price else 0.0)

    @classmethod
    def by(cls, record: EpisodeRecord, model: str, prices: Prices) -> Self:
        """What was paid for one episode of a program that asks `model`; nobody is paid for gold plans."""
        requests = 0 if model.startswith(GOLD_PREFIX) else record.paid_requests
        tokens = (record.paid_prompt_tokens, record.paid_completion_tokens)
        return cls.on(requests, *tokens, model=model, prices=prices)

    @classmethod
    def on_replies(cls, paid: Mapping[str, Usage], prices: Prices) -> Self:
        """What was paid for replies, by the model's name; nobody is paid for gold plans."""
        total = cls()
        for model, usage in sorted(paid.items()):
            if not model.startswith(GOLD_PREFIX):
                tokens = (usage.paid_prompt_tokens, usage.paid_completion_tokens)
                total += cls.on(usage.paid_requests, *tokens, model=model, prices=prices)
        return total

    @classmethod
    def without_cache(cls, episode: EpisodeRecord | EpisodeResult, model: str, prices: Prices) -> Self:
        """What one episode takes where no cache has its replies: what it used."""
        calls = 0 if model.startswith(GOLD_PREFIX) else episode.model_calls
        used = episode.usage
        return cls.on(calls, used.prompt_tokens, used.completion_tokens, model=model, prices=prices)


class Costs:
    """Mean and spread of what things of one kind took (Welford's method).

    Attributes:
        number: how many asked a model at all. Who follows a gold plan, or is answered by a journal, does
            not; what those took says nothing about the next.
        ended: how many there were.
        seconds: mean of all.
    """

    def __init__(self) -> None:
        self.number = self.ended = 0
        self.seconds = 0.0
        self._means = [0.0] * 3
        self._squares = [0.0] * 3

    def add(self, took: Spent, seconds: float) -> None:
        """Take in one more."""
        self.ended += 1
        self.seconds += (seconds - self.seconds) / self.ended
        if not took.calls:
            return
        self.number += 1
        for place, value in enumerate(took.values):
            off = value - self._means[place]
            self._means[place] += off / self.number
            self._squares[place] += off * (value - self._means[place])

    @property
    def likely(self) -> Spent:
        """What one more will take at most, as far as can be told."""
        return self._above(_DEVIATIONS if self.number > 2 else 0.0)

    @property
    def high(self) -> Spent:
        """What several more, of which each may take more than known ones, will hardly exceed."""
        if self.number < 2:
            return Spent(*(3 * mean for mean in self._means))
        return self._above(_DEVIATIONS + _DOUBT / self.number)

    def _above(self, deviations: float) -> Spent:
        """So many standard deviations above the mean."""
        others = max(1, self.number - 1)
        spread = [deviations * math.sqrt(square / others) for square in self._squares]
        return Spent(*(mean + more for mean, more in zip(self._means, spread, strict=True)))
