"""Costs: calls, tokens and dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from evals.lm.prices import Prices

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from tools.episode_result import EpisodeResult, Usage

GOLD_PREFIX = "scripted/gold-"
"""The prefix of stand-ins that follow gold plans. They are no models, and no request is sent."""


@dataclass(frozen=True)
class Spent:
    """A paid cost: requests that reached a model, their tokens, and dollars."""

    calls: float = 0
    tokens: float = 0
    usd: float = 0.0

    def __add__(self, other: Spent) -> Self:
        return type(self)(self.calls + other.calls, self.tokens + other.tokens, self.usd + other.usd)

    def less(self, other: Spent) -> Spent:
        """The rest after `other`, not below 0."""
        return Spent(
            *(max(0.0, ours - theirs) for ours, theirs in zip(self.values, other.values, strict=True))
        )

    @property
    def values(self) -> tuple[float, float, float]:
        """In the order of the fields."""
        return (self.calls, self.tokens, self.usd)

    @classmethod
    def on(cls, calls: float, prompt: float, completion: float, *, model: str, prices: Prices) -> Self:
        """The cost of so many calls and tokens; an unknown price counts as 0, see `Budget.account`."""
        price = prices.price(model)
        return cls(calls, prompt + completion, price.of(prompt, completion) if price else 0.0)

    @classmethod
    def by(cls, record: EpisodeRecord, model: str, prices: Prices) -> Self:
        """The paid cost of one episode of a program that asks `model`; gold plans are free."""
        requests = 0 if model.startswith(GOLD_PREFIX) else record.paid_requests
        tokens = (record.paid_prompt_tokens, record.paid_completion_tokens)
        return cls.on(requests, *tokens, model=model, prices=prices)

    @classmethod
    def on_replies(cls, paid: Mapping[str, Usage], prices: Prices) -> Self:
        """The paid cost of replies, by the model's name; gold plans are free."""
        total = cls()
        for model, usage in sorted(paid.items()):
            if not model.startswith(GOLD_PREFIX):
                tokens = (usage.paid_prompt_tokens, usage.paid_completion_tokens)
                total += cls.on(usage.paid_requests, *tokens, model=model, prices=prices)
        return total

    @classmethod
    def without_cache(cls, episode: EpisodeRecord | EpisodeResult, model: str, prices: Prices) -> Self:
        """The cost of one episode if no cache held its replies."""
        calls = 0 if model.startswith(GOLD_PREFIX) else episode.model_calls
        used = episode.usage
        return cls.on(calls, used.prompt_tokens, used.completion_tokens, model=model, prices=prices)
