"""A budget: limits in model calls, tokens, dollars and minutes, kept while many episodes are in flight.

An episode may start if what was spent, what the episodes in flight will probably still take and what it will
probably take itself stay within every limit. What is probable comes from the episodes of the same kind that
have ended. Where only those in flight are in the way, it waits for them. If there would not be room without
them either, the budget is spent: nothing more starts, what is in flight ends. So a limit is overstepped by no
more than an episode's cost can be mistaken, and at most by the episodes in flight.

A request outside of every episode never waits, for it may come from a thread that an episode in flight has
started and waits for itself.

Budgets count what is paid: requests as they reach a model (see `evals.lm.metering`), further tries included,
and
the tokens of the replies. What comes out of a cache or a journal costs nothing. A request that failed is not
tried again once a limit is reached. Time is that of the clock on the wall.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from evals.dspy_programs.digests import model_name
from evals.lm.payer import AdmissionError
from evals.lm.prices import Prices
from optimizers.cost.spending import GOLD_PREFIX, Costs, Spent
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from evals.records.record import EpisodeRecord

_UNSEEN = 10.0
"""Episodes of a kind that none has ended of may take so many times what others of the model did."""

REQUEST = "request"
"""The kind of what asks a model once, outside of every episode."""

_KEPT_EVERY = 1.0
"""Seconds."""

_UNITS = {"max_calls": "calls", "max_tokens": "tokens", "max_usd": "usd"}


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
                raise InputError("a limit must be positive", where=_option(name))

    @property
    def given(self) -> dict[str, float]:
        """Those that there are, by name."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


class BudgetSpentError(AdmissionError):
    """A limit was reached and nothing more starts.

    Attributes:
        limit: its name, e.g. `max_calls`.
    """

    exit_code = 3

    def __init__(self, limit: str) -> None:
        super().__init__(f"the budget is spent: {_option(limit)} was reached")
        self.limit = limit


class Budget:
    """Limits and what was spent of them. Thread-safe.

    Args:
        clock: gives seconds.

    Attributes:
        prices: by which dollars are counted.
        stopped: the name of the limit that was reached; empty until then.
        keep: told the seconds now and then, for who may be killed.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        prices: Prices | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self.prices = prices or Prices()
        self.stopped = ""
        self.keep: Callable[[float], None] | None = None
        self._clock = clock
        self._started = self._kept = clock()
        # Guards everything below; who waits for those in flight is woken as each of them ends.
        self._changed = threading.Condition()
        self._spent = Spent()
        # What those in flight will probably still take.
        self._owed: dict[int, Spent] = {}
        self._models: defaultdict[str, Costs] = defaultdict(Costs)
        self._kinds: defaultdict[tuple[str, str], Costs] = defaultdict(Costs)
        self._number = 0

    @property
    def spent(self) -> Spent:
        """So far."""
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

    def taken_up(self, before: float) -> float:
        """Count the seconds that earlier attempts at the same work took; gives the seconds then."""
        with self._changed:
            self._started -= before
            return self.seconds

    def check(self) -> None:
        """Mind that a limit was reached.

        Raises:
            BudgetSpentError: it was.
        """
        if self.stopped:
            raise BudgetSpentError(self.stopped)

    def account(self, model: str, *, logged: bool = True) -> Account:
        """The budget as those see it who ask `model`, see `Account`.

        Raises:
            InputError: dollars are limited, and the model's price is not known.
        """
        if self.limits.max_usd is not None and self.prices.price(model) is None:
            raise InputError(
                f"the price of {model} is not known, so dollars cannot be limited",
                where="--max-usd",
                hint="name it in a table, --prices FILE, or limit calls or tokens",
            )
        return Account(self, model, logged)

    def counted(self, lm: dspy.LM) -> dspy.LM:
        """The same model; its requests are counted as they reach it. Who follows gold plans is none.

        Raises:
            InputError: dollars are limited and its price is not known, or its requests cannot be counted.
        """
        from evals.lm.metering import metered

        account = self.account(model_name(lm))
        return metered(lm, None if account.model.startswith(GOLD_PREFIX) else account)

    def enter(self, model: str, kind: str) -> int | None:
        """Start something; its number, or None if nothing more is to start.

        An episode may have to wait until others have ended, a `REQUEST` never.
        """
        with self._changed:
            while True:
                self.stopped = self.stopped or self._exhausted(model, kind)
                if self.stopped:
                    self._changed.notify_all()
                    return None
                probable = self._probable(model, kind)
                if not self._owed or kind == REQUEST or self._fits(probable):
                    self._number += 1
                    self._owed[self._number] = probable
                    return self._number
                self._changed.wait()

    def leave(self, number: int, model: str, kind: str, took: Spent, seconds: float) -> None:
        """End something that took so much, which was counted as it was asked."""
        with self._changed:
            del self._owed[number]
            self._models[model].add(took, seconds)
            self._kinds[model, kind].add(took, seconds)
            self._changed.notify_all()
            if self.keep is not None and self._clock() - self._kept >= _KEPT_EVERY:
                self._kept = self._clock()
                self.keep(self.seconds)

    def count(self, took: Spent, number: int | None = None) -> None:
        """Count what was asked, by what was started under `number`, if it was."""
        with self._changed:
            self._spent += took
            if number in self._owed:
                self._owed[number] = self._owed[number].less(took)

    def reached(self) -> str:
        """The limit that what was spent has reached, from then on the one that stopped it; empty if none."""
        with self._changed:
            for name, limit in self.limits.given.items():
                timed = name == "max_minutes"
                if (self.seconds / 60 if timed else getattr(self._spent, _UNITS[name])) >= limit:
                    self.stopped = self.stopped or name
            return self.stopped

    def _exhausted(self, model: str, kind: str) -> str:
        """The limit that leaves no room for one more, even if nothing were in flight; empty if none."""
        known = self._kinds[model, kind]
        ahead = self._spent + (known if known.number else self._models[model]).likely
        seconds = self.seconds + (known if known.ended else self._models[model]).seconds
        for name, limit in self.limits.given.items():
            timed = name == "max_minutes"
            now = self.seconds / 60 if timed else getattr(self._spent, _UNITS[name])
            then = seconds / 60 if timed else getattr(ahead, _UNITS[name])
            if now >= limit or then > limit:
                return name
        return ""

    def _probable(self, model: str, kind: str) -> Spent:
        """What one more will take, rather too much than too little; without end if nothing is known."""
        of_kind, of_model = self._kinds[model, kind], self._models[model]
        if of_kind.number:
            return of_kind.high
        if of_model.number:
            return Spent(*(_UNSEEN * value for value in of_model.high.values))
        return Spent() if of_model.ended else Spent(math.inf, math.inf, math.inf)

    def _fits(self, probable: Spent) -> bool:
        """Whether there is room beside those in flight. Time is no sum: it passes for all at once."""
        total = sum((*self._owed.values(), probable), start=self._spent)
        limits = self.limits.given.items()
        return all(getattr(total, _UNITS[name]) <= limit for name, limit in limits if name in _UNITS)


@dataclass(frozen=True)
class Account:
    """A budget, as those see it who ask one model. See `evals.running.admission.Admission`.

    Attributes:
        logged: whether episodes in a log count. Where a journal keeps replies, these count instead.
    """

    budget: Budget
    model: str
    logged: bool = True

    def admit(self, kind: str) -> Leave | None:
        """Leave to start an episode, or a request of its own; None if nothing more is to start."""
        number = self.budget.enter(self.model, kind)
        return None if number is None else Leave(self, kind, number)

    def counted(self, lm: dspy.LM) -> dspy.LM:
        """A model whose requests the same budget counts."""
        return self.budget.counted(lm)

    def charge(self, record: EpisodeRecord) -> None:
        """Count an episode that a log holds."""
        if self.logged:
            self.budget.count(Spent.by(record, self.model, self.budget.prices))

    @contextmanager
    def paying(self) -> Iterator[None]:
        """A block in which a request is made. Outside of every episode it needs leave of its own.

        Raises:
            BudgetSpentError: nothing more is to be asked.
        """
        if self.inside is not None:
            yield
            return
        leave = self.admit(REQUEST)
        if leave is None:
            raise BudgetSpentError(self.budget.stopped)
        with leave:
            yield

    def check_again(self) -> None:
        """See that a failed request may be tried again; an episode that needs it else comes to nothing.

        Raises:
            BudgetSpentError: a limit is reached.
        """
        limit = self.budget.reached()
        if limit:
            if self.inside is not None:
                self.inside.cut_short = True
            raise BudgetSpentError(limit)

    def asked(self, prompt: int, completion: int) -> None:
        """Count a request that reached the model, with its tokens, for the block that this runs in."""
        took = Spent.on(1, prompt, completion, model=self.model, prices=self.budget.prices)
        inside = self.inside
        if inside is not None:
            inside.took += took
        self.budget.count(took, inside.number if inside else None)

    @property
    def inside(self) -> Leave | None:
        """The block that this runs in, if it was given leave by the same budget."""
        leave = _LEAVE.get()
        return leave if leave is not None and leave.account.budget is self.budget else None


class Leave:
    """Leave to run one thing, in a block.

    Attributes:
        took: what was asked in the block so far.
        cut_short: whether a request was refused, so that what came of the block is not to be kept.
    """

    def __init__(self, account: Account, kind: str, number: int) -> None:
        self.account = account
        self.number = number
        self.took = Spent()
        self.cut_short = False
        self._kind = kind

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        self._token = _LEAVE.set(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _LEAVE.reset(self._token)
        seconds = time.monotonic() - self._started
        self.account.budget.leave(self.number, self.account.model, self._kind, self.took, seconds)


_LEAVE: ContextVar[Leave | None] = ContextVar("worksmith_leave", default=None)
"""The block that runs here; an episode asks its model in its own thread."""


def _option(limit: str) -> str:
    return f"--{limit.replace('_', '-')}"
