"""A budget: limits in model calls, tokens, dollars and minutes, kept while many episodes are in flight.

An episode may start if every limit has room for the cost so far, the probable rest of the episodes in flight
and the probable cost of the episode itself. Probable costs come from ended episodes of the same kind. Where
only those in flight are in the way, it waits for them. If there would be no room without them either, the
budget is spent: nothing more starts, running episodes end. So a limit is overstepped by no more than the
error in an episode's probable cost, and at most by the episodes in flight.

A request outside of every episode never waits, for it may come from a thread that an episode in flight has
started and waits for itself.

Budgets count paid requests as they reach a model (see `worksmith.evals.lm.metering`), retries included, and
the tokens of the replies. A reply from a cache or a journal costs nothing. A failed request is not tried
again once a limit is reached. Time is wall-clock time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.prices import Prices
from worksmith.evals.tasks.transcript import GOLD_PREFIX
from worksmith.optimizers.cost.limits import BudgetSpentError, Limits
from worksmith.optimizers.cost.spending import ExpectedCosts, Spent
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.tools.episode_result import Tokens, Usage

REQUEST = "request"
"""The kind of a single request outside of every episode."""

_KEPT_EVERY = 1.0
"""Seconds between two calls of a budget's `keep`."""


class Budget:
    """Limits and the cost so far. Thread-safe. A limit that is None does not limit.

    Args:
        usd: the most dollars; the prices of all models must be known.
        calls: the most requests that reach a model.
        tokens: the most prompt and completion tokens.
        minutes: the most minutes, those of earlier attempts included.
        prices: by which dollars are counted.
        clock: gives seconds.

    Attributes:
        stopped: the name of the limit that was reached; empty until then.

    Example:
        >>> budget = ws.Budget(calls=100)
        >>> result = ws.evaluate(ws.Agent("react", env), suite.test, budget=budget, progress=False)
        >>> budget.spent.calls <= 100, budget.stopped
        (True, '')
    """

    def __init__(
        self,
        *,
        usd: float | None = None,
        calls: int | None = None,
        tokens: int | None = None,
        minutes: float | None = None,
        prices: Prices | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = Limits(calls, tokens, usd, minutes)
        self.prices = prices or Prices()
        self.stopped = ""
        self._clock = clock
        self._started = self._kept = clock()
        self._keep: Callable[[float], None] | None = None
        # Guards everything below; waiting threads are woken as each episode in flight ends.
        self._changed = threading.Condition()
        self._spent = Spent()
        # The probable rest of each episode in flight.
        self._rest: dict[int, Spent] = {}
        self._expected = ExpectedCosts()
        self._number = 0

    @property
    def spent(self) -> Spent:
        with self._changed:
            return self._spent

    @property
    def seconds(self) -> float:
        """Seconds since the beginning, earlier attempts included."""
        return self._clock() - self._started

    @contextmanager
    def continued(self, spent: Spent, seconds: float, keep: Callable[[float], None]) -> Iterator[None]:
        """A block that goes on with the work of earlier attempts.

        Args:
            spent: their cost.
            seconds: the time that they took.
            keep: called with the seconds of all attempts every second and at the end, because a process may
                be killed.
        """
        self.count(spent)
        with self._changed:
            self._started -= seconds
            others = self.seconds - seconds
            self._keep = lambda now: keep(now - others)
        try:
            yield
        finally:
            self._keep(self.seconds)
            self._keep = None

    def check(self) -> None:
        """Raise if a limit was reached.

        Raises:
            BudgetSpentError: it was.
        """
        if self.stopped:
            raise BudgetSpentError(self.stopped)

    def account(self, model: str, *, logged: bool = True) -> Account:
        """The budget's view for one model, see `Account`.

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
        """The same model, with its requests counted; one that follows gold plans is free.

        Raises:
            InputError: dollars are limited and its price is not known, or its requests cannot be counted.
        """
        from worksmith.evals.lm.metering import metered

        account = self.account(model_name(lm))
        return metered(lm, None if account.model.startswith(GOLD_PREFIX) else account)

    def enter(self, model: str, kind: str) -> int | None:
        """Start an episode or request.

        An episode may have to wait until others have ended, a `REQUEST` never.

        Returns:
            Its number, or None if nothing more is to start.
        """
        with self._changed:
            while True:
                self.stopped = self.stopped or self._exhausted(model, kind)
                if self.stopped:
                    self._changed.notify_all()
                    return None
                probable = self._expected.probable(model, kind)
                if not self._rest or kind == REQUEST or self._fits(probable):
                    return self._begin(probable)
                self._changed.wait()

    def _begin(self, probable: Spent) -> int:
        self._number += 1
        self._rest[self._number] = probable
        return self._number

    def leave(self, number: int, model: str, kind: str, took: Spent, seconds: float) -> None:
        """End what `enter` started; its cost was counted as it was asked."""
        with self._changed:
            del self._rest[number]
            self._expected.add(model, kind, took, seconds)
            self._changed.notify_all()
            if self._keep is not None and self._clock() - self._kept >= _KEPT_EVERY:
                self._kept = self._clock()
                self._keep(self.seconds)

    def count(self, took: Spent, number: int | None = None) -> None:
        """Count a cost, on the part of the episode that was started under `number`, if any."""
        with self._changed:
            self._spent += took
            if number in self._rest:
                self._rest[number] = self._rest[number].less(took)

    def reached(self) -> str:
        """The name of a limit that is reached; empty without one."""
        with self._changed:
            self.stopped = self.stopped or self.limits.reached(self._spent, self.seconds)
            return self.stopped

    def _exhausted(self, model: str, kind: str) -> str:
        """The limit that leaves no room for one more, even if nothing were in flight; empty without one."""
        ahead = self._spent + self._expected.likely(model, kind)
        seconds = self.seconds + self._expected.seconds(model, kind)
        return self.limits.reached(self._spent, self.seconds) or self.limits.exceeded(ahead, seconds)

    def _fits(self, probable: Spent) -> bool:
        """Whether there is room beside those in flight. Time is not a sum: it passes for all together."""
        return not self.limits.exceeded(sum((*self._rest.values(), probable), start=self._spent))


@dataclass(frozen=True)
class Account:
    """A budget's view for one model. See `worksmith.evals.running.admission.Admission`.

    Attributes:
        logged: whether episodes in a log count. Where a journal keeps replies, these count instead.
    """

    budget: Budget
    model: str
    logged: bool = True

    def admit(self, kind: str) -> Leave | None:
        """Leave to start an episode, or a single request; None if nothing more is to start."""
        number = self.budget.enter(self.model, kind)
        return None if number is None else Leave(self, kind, number)

    def counted(self, lm: dspy.LM) -> dspy.LM:
        return self.budget.counted(lm)

    def charge(self, record: EpisodeRecord) -> None:
        """Count an episode that a log holds."""
        if self.logged:
            self.budget.count(Spent.by(record, self.model, self.budget.prices))

    def charge_unrecorded(self, paid: Mapping[str, Usage]) -> None:
        """Count what killed attempts at an episode paid, by the model's name."""
        self.budget.count(Spent.on_replies(paid, self.budget.prices))

    @contextmanager
    def paying(self) -> Iterator[None]:
        """A block in which a request is made. Outside of an episode it needs its own leave.

        Raises:
            BudgetSpentError: no request is allowed.
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
        """Check that a failed request may be tried again; else the episode that needs it is not kept.

        Raises:
            BudgetSpentError: a limit is reached.
        """
        limit = self.budget.reached()
        if limit:
            if self.inside is not None:
                self.inside.cut_short = True
            raise BudgetSpentError(limit)

    def asked(self, tokens: Tokens) -> None:
        """Count a request that reached the model, with its tokens, for the block that this runs in."""
        took = Spent.on(1, tokens, model=self.model, prices=self.budget.prices)
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
        took: the cost of the block so far.
        cut_short: whether a request was refused, so that the result of the block is not to be kept.
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
