"""A budget: limits in model calls, tokens, dollars and minutes, kept while many episodes are in flight.

An episode may start if what was spent, what the episodes in flight will probably take and what it will
probably take itself stay within every limit. What is probable comes from the episodes of the same kind that
have ended. Where only those in flight are in the way, it waits for them. If there would not be room without
them either, the budget is spent: nothing more starts, what is in flight ends. So a limit is overstepped by no
more than an episode's cost can be mistaken, and at most by the episodes in flight.

Model calls are requests that a model answered: replies out of a cache are none and cost nothing, and whoever
follows a gold plan is no model. Time is that of the clock on the wall.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from evals.prices import Prices
from optimizers.spending import Costs, Spent
from tools.errors import InputError, WorksmithError

if TYPE_CHECKING:
    from evals.record import EpisodeRecord
    from evals.runner import EvalResult
    from tools.episode import EpisodeResult

_UNSEEN = 4.0
"""Episodes of a kind that none has ended of may cost so many times what others did."""


@dataclass(frozen=True)
class Limits:
    """What must not be exceeded; None is no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that nothing could keep."""
        for name, value in self.given.items():
            if not value > 0:
                raise InputError("a limit must be positive", where=f"--{name.replace('_', '-')}")

    @property
    def given(self) -> dict[str, float]:
        """Those that there are, by name."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


class BudgetSpentError(WorksmithError):
    """A limit was reached and nothing more starts.

    Attributes:
        limit: its name, e.g. `max_calls`.
        results: of evaluations that were under way, as far as they came, by name.
    """

    def __init__(self, limit: str, results: Mapping[str, EvalResult] | None = None) -> None:
        super().__init__(f"the budget is spent: --{limit.replace('_', '-')} was reached")
        self.limit = limit
        self.results = dict(results or {})


class Budget:
    """Limits and what was spent of them. Thread-safe.

    Args:
        before: seconds that earlier attempts at the same work took.
        clock: gives seconds.

    Attributes:
        prices: by which dollars are counted.
        stopped: the name of the limit that was reached; empty until then.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        prices: Prices | None = None,
        before: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self.prices = prices or Prices()
        self.stopped = ""
        self._clock = clock
        self._started = clock() - before
        # Guards everything below; who waits for those in flight is woken as each of them ends.
        self._changed = threading.Condition()
        self._spent = Spent()
        self._in_flight: dict[int, Spent] = {}
        self._models: defaultdict[str, Costs] = defaultdict(Costs)
        self._kinds: defaultdict[tuple[str, str], Costs] = defaultdict(Costs)
        self._slots = 0

    @property
    def spent(self) -> Spent:
        """By all that ended."""
        with self._changed:
            return self._spent

    @property
    def seconds(self) -> float:
        """Since the beginning, earlier attempts included."""
        return self._clock() - self._started

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return bool(self.limits.given)

    def check(self) -> None:
        """Mind that a limit was reached.

        Raises:
            BudgetSpentError: it was.
        """
        if self.stopped:
            raise BudgetSpentError(self.stopped)

    def account(self, model: str) -> Account:
        """The budget as those see it who ask `model`.

        Raises:
            InputError: dollars are limited, and the model's price is not known.
        """
        if self.limits.max_usd is not None and self.prices.price(model) is None:
            raise InputError(
                f"the price of {model} is not known, so dollars cannot be limited",
                where="--max-usd",
                hint="name it in a table, --prices FILE, or limit calls or tokens",
            )
        return Account(self, model)

    def enter(self, model: str, kind: str) -> int | None:
        """Start something, maybe after others have ended; its number, or None if nothing more is to start."""
        with self._changed:
            while True:
                self.stopped = self.stopped or self._exhausted(model, kind)
                if self.stopped:
                    self._changed.notify_all()
                    return None
                probable = self._probable(model, kind)
                if not self._in_flight or self._fits(probable):
                    self._slots += 1
                    self._in_flight[self._slots] = probable
                    return self._slots
                self._changed.wait()

    def leave(self, number: int, model: str, kind: str, took: Spent | None) -> None:
        """End something; None where nobody knows what it took."""
        with self._changed:
            self._in_flight.pop(number)
            if took is not None:
                self._count(model, kind, took)
            self._changed.notify_all()

    def count(self, model: str, kind: str, took: Spent) -> None:
        """Count something that was done before."""
        with self._changed:
            self._count(model, kind, took)

    def _count(self, model: str, kind: str, took: Spent) -> None:
        self._spent += took
        self._models[model].add(took)
        self._kinds[model, kind].add(took)

    def _exhausted(self, model: str, kind: str) -> str:
        """The limit that leaves no room for one more, even if nothing were in flight; empty if none."""
        known = self._kinds[model, kind]
        known = known if known.number else self._models[model]
        ahead, minutes = self._spent + known.high, (self.seconds + known.mean.seconds) / 60
        for name, limit in self.limits.given.items():
            now = self.seconds / 60 if name == "max_minutes" else _unit(self._spent, name)
            then = minutes if name == "max_minutes" else _unit(ahead, name)
            if now >= limit or then > limit:
                return name
        return ""

    def _probable(self, model: str, kind: str) -> Spent:
        """What one more will take, rather too much than too little; without end if nothing is known."""
        if self._kinds[model, kind].number:
            return self._kinds[model, kind].high
        if not self._models[model].number:
            return Spent(*[math.inf] * len(fields(Spent)))
        return Spent(*(_UNSEEN * value for value in self._models[model].high.values))

    def _fits(self, probable: Spent) -> bool:
        """Whether there is room beside those in flight. Time is no sum: it passes for all at once."""
        total = sum((*self._in_flight.values(), probable), start=self._spent)
        return all(
            _unit(total, name) <= limit for name, limit in self.limits.given.items() if name != "max_minutes"
        )


@dataclass(frozen=True)
class Account:
    """A budget, as those see it who ask one model. See `evals.admission.Admission`."""

    budget: Budget
    model: str

    def admit(self, kind: str) -> Admitted | None:
        """Leave to start an episode, or a request of a kind of its own."""
        number = self.budget.enter(self.model, kind)
        return None if number is None else Admitted(self, kind, number)

    def charge(self, kind: str, record: EpisodeRecord) -> None:
        """Count an episode that a log holds."""
        self.budget.count(self.model, kind, self.cost(record))

    def cost(self, episode: EpisodeRecord | EpisodeResult) -> Spent:
        """What an episode took."""
        return Spent.by(episode, self.model, self.budget.prices)


@dataclass
class Admitted:
    """Leave to start one thing, to be settled exactly once."""

    account: Account
    kind: str
    number: int
    started: float = field(default_factory=time.monotonic)

    def settle(self, episode: EpisodeRecord | EpisodeResult | None) -> None:
        """Give it back with what the episode took."""
        took = None if episode is None else self.account.cost(episode)
        self.account.budget.leave(self.number, self.account.model, self.kind, took)

    def settle_request(self, usage: Mapping[str, Any]) -> None:
        """Give it back with the tokens of one request, as DSPy counts them."""
        prompt, completion = (usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens"))
        price = self.account.budget.prices.price(self.account.model)
        usd = price.of(prompt, completion) if price else 0.0
        took = Spent(1, prompt + completion, usd, time.monotonic() - self.started)
        self.account.budget.leave(self.number, self.account.model, self.kind, took)


_UNITS = {"max_calls": "calls", "max_tokens": "tokens", "max_usd": "usd"}


def _unit(spent: Spent, limit: str) -> float:
    value: float = getattr(spent, _UNITS[limit])
    return value
