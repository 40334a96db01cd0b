"""Costs: calls, tokens and dollars; those of ended episodes, and the expected cost of one more."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from worksmith.evals.lm.prices import Prices
from worksmith.evals.records.models_asked import calls_by_model, usage_by_model
from worksmith.evals.tasks.transcript import GOLD_PREFIX
from worksmith.tools.episode_result import Tokens

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.tools.episode_result import EpisodeResult, Usage

_UNSEEN = 10.0
"""The most that an episode of an unseen kind may take, in multiples of the model's other episodes."""

_DEVIATIONS = 2.0
"""By how many standard deviations above the mean an episode's cost is taken for probable."""

_DOUBT = 6.0
"""By how many more if the deviation is known from one episode only; the more there are, the fewer."""


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
        return (self.calls, self.tokens, self.usd)

    @classmethod
    def on(cls, calls: float, tokens: Tokens, *, model: str, prices: Prices) -> Self:
        """The cost of these calls and tokens; an unknown price counts as 0, see `Budget.account`."""
        price = prices.price(model)
        return cls(calls, tokens.prompt + tokens.completion, price.of(*tokens) if price else 0.0)

    @classmethod
    def by(cls, record: EpisodeRecord, model: str, prices: Prices) -> Self:
        """The paid cost of one episode of a program that asks `model`; gold plans are free."""
        return cls.on_replies(usage_by_model(record, model), prices)

    @classmethod
    def on_replies(cls, paid: Mapping[str, Usage], prices: Prices) -> Self:
        """The paid cost of replies, by the model's name; gold plans are free."""
        total = cls()
        for model, usage in sorted(paid.items()):
            if not model.startswith(GOLD_PREFIX):
                total += cls.on(usage.paid_requests, usage.billed, model=model, prices=prices)
        return total

    @classmethod
    def without_cache(cls, episode: EpisodeRecord | EpisodeResult, model: str, prices: Prices) -> Self:
        """The cost of one episode if no cache held its replies, and no provider's cache its prompts."""
        usages, total = usage_by_model(episode, model), cls()
        for name, calls in calls_by_model(episode, model).items():
            tokens = Tokens(usages[name].prompt_tokens, usages[name].completion_tokens)
            total += cls.on(0 if name.startswith(GOLD_PREFIX) else calls, tokens, model=name, prices=prices)
        return total


class Costs:
    """Mean and spread of the costs of one kind of episodes (Welford's method).

    Attributes:
        number: how many asked a model. An episode that follows a gold plan, or is answered by a journal, does
            not, and its cost does not predict the next.
        ended: how many there were.
        seconds: mean of all.
    """

    def __init__(self) -> None:
        self.number = self.ended = 0
        self.seconds = 0.0
        self._means = [0.0] * 3
        self._squares = [0.0] * 3

    def add(self, took: Spent, seconds: float) -> None:
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
        return self._above(_DEVIATIONS if self.number > 2 else 0.0)

    @property
    def high(self) -> Spent:
        """A cost that each of several more will hardly exceed."""
        if self.number < 2:
            return Spent(*(3 * mean for mean in self._means))
        return self._above(_DEVIATIONS + _DOUBT / self.number)

    def _above(self, deviations: float) -> Spent:
        others = max(1, self.number - 1)
        spread = [deviations * math.sqrt(square / others) for square in self._squares]
        return Spent(*(mean + more for mean, more in zip(self._means, spread, strict=True)))


class ExpectedCosts:
    """The costs of ended episodes, by model and by kind. Not thread-safe."""

    def __init__(self) -> None:
        self._models: defaultdict[str, Costs] = defaultdict(Costs)
        self._kinds: defaultdict[tuple[str, str], Costs] = defaultdict(Costs)

    def add(self, model: str, kind: str, took: Spent, seconds: float) -> None:
        self._models[model].add(took, seconds)
        self._kinds[model, kind].add(took, seconds)

    def likely(self, model: str, kind: str) -> Spent:
        known = self._kinds[model, kind]
        return (known if known.number else self._models[model]).likely

    def seconds(self, model: str, kind: str) -> float:
        known = self._kinds[model, kind]
        return (known if known.ended else self._models[model]).seconds

    def probable(self, model: str, kind: str) -> Spent:
        """The cost of one more, rather too high than too low; infinite if nothing is known."""
        of_kind, of_model = self._kinds[model, kind], self._models[model]
        if of_kind.number:
            return of_kind.high
        if of_model.number:
            return Spent(*(_UNSEEN * value for value in of_model.high.values))
        return Spent() if of_model.ended else Spent(math.inf, math.inf, math.inf)
