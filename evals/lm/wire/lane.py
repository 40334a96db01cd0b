"""Lanes: all requests of this process to one model, in the order in which its limits let them through."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from worksmith.evals.dspy_programs.digests import model_name
from worksmith.evals.lm.failures import is_rate_limit, may_be_over_soon
from worksmith.evals.lm.wire.breaker import Breaker, PausedError
from worksmith.evals.lm.wire.concurrency import Concurrency
from worksmith.evals.lm.wire.pace import Pace
from worksmith.evals.lm.wire.retries import asked_wait
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.tools.episode_result import Tokens
from worksmith.tools.errors import WorksmithError
from worksmith.tools.files.secrets import described, without_secrets

TURN = "fewer requests in flight"
ASKED = "the wait that the server asked for"
PAUSE = "the pause of a failing model"
"""What requests wait for, beside the limits a minute."""

_NO_LIMIT = 2**31


@dataclass(frozen=True)
class Traffic:
    """The requests to a model at one moment.

    Attributes:
        in_flight: requests without a reply yet.
        waiting: waiting requests, by reason.
        limit: of requests in flight, where one is in force.
        answered, failed: so far.
        tokens: of the replies so far.
        paused: the failure for which the model is paused; empty if it is not.
    """

    model: str
    in_flight: int
    waiting: Mapping[str, int]
    limit: int | None
    answered: int
    failed: int
    tokens: Tokens
    paused: str


@dataclass
class Sent:
    """A request that was sent to a model.

    Attributes:
        at: when a lane let it through.
        tokens: which the sender sets after the reply.
    """

    at: float = 0.0
    tries_model: bool = False
    reserved: float = 0.0
    tokens: Tokens = field(default_factory=Tokens)


class Lane:
    """The requests to one model. Thread-safe.

    Args:
        model: its name, for messages.
        clock: gives seconds.
    """

    def __init__(
        self, model: str, settings: WireSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = settings
        self._model = model
        self._clock = clock
        self._requests = _pace(settings.requests_per_minute)
        self._tokens = _pace(settings.tokens_per_minute)
        self._concurrency = Concurrency(settings.parallel)
        self._breaker = Breaker()
        self._held_until = 0.0
        self._shifted = 0.0
        # One lock guards everything here. `_turn` wakes requests that wait for a slot, `_news` the others.
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)
        self._news = threading.Condition(self._lock)
        self._slots = 0
        self._waiting: Counter[str] = Counter()
        self._answered = self._failed = 0
        self._taken = Tokens()

    @property
    def counts_tokens(self) -> bool:
        """Whether a request must state its probable number of tokens."""
        return self._tokens is not None

    @contextmanager
    def request(self, tokens: float = 0.0) -> Iterator[Sent]:
        """A block in which one request is sent, once the limits let it through.

        Args:
            tokens: that prompt and reply will probably take.

        Raises:
            PausedError: the model is paused, and another request has just tried it in vain.
        """
        request = self._enter(tokens)
        error: BaseException | None = None
        try:
            yield request
        except BaseException as raised:
            error = raised
            raise
        finally:
            self._leave(request, error)

    def traffic(self) -> Traffic:
        with self._lock:
            limit = self._concurrency.limit
            failure = self._breaker.failure if self._breaker.paused else None
            return Traffic(
                self._model,
                self._in_flight,
                {reason: count for reason, count in self._waiting.items() if count},
                None if math.isinf(limit) else int(limit),
                self._answered,
                self._failed,
                self._taken,
                "" if failure is None else without_secrets(described(failure)).partition("\n")[0],
            )

    @property
    def _in_flight(self) -> int:
        """Requests on their way; those with a slot that wait here are not."""
        return self._slots - sum(count for reason, count in self._waiting.items() if reason != TURN)

    def _enter(self, tokens: float) -> Sent:
        with self._lock:
            while self._slots >= int(min(self._concurrency.limit, _NO_LIMIT)):
                self._wait(self._turn, TURN, None)
            self._slots += 1
            try:
                tries = self._pass(tokens)
            except BaseException:
                self._free_slot()
                raise
            return Sent(self._clock(), tries, tokens)

    def _pass(self, tokens: float) -> bool:
        """Wait for the server and for the limits a minute; whether the request tries a paused model."""
        failed = self._breaker.failed_tries
        while True:
            now = self._clock()
            if self._held_until > now:
                self._wait(self._news, ASKED, self._held_until - now)
                continue
            if self._breaker.failed_tries > failed:
                failure = self._breaker.failure
                raise PausedError(f"{self._model} is paused, it failed once more: {failure}") from failure
            pause = self._breaker.wait(now)
            if pause != 0:
                self._wait(self._news, PAUSE, pause)
                continue
            tries = self._breaker.begin()
            try:
                self._keep_pace(tokens, now)
            except BaseException:
                self._breaker.given_up(tried=tries)
                raise
            # Meanwhile the model may have failed.
            if tries or not self._breaker.paused:
                return tries
            self._breaker.given_up(tried=tries)

    def _keep_pace(self, tokens: float, now: float) -> None:
        settings, shifted = self.settings, self._shifted
        at, limit = now, ""
        if self._requests is not None:
            at = self._requests.reserve(1.0, now)
            limit = f"the limit of {settings.requests_per_minute:,g} requests a minute"
        if self._tokens is not None and (later := self._tokens.reserve(tokens, now)) > at:
            at = later
            limit = f"the limit of {settings.tokens_per_minute:,g} tokens a minute"
        while (left := at + self._shifted - shifted - self._clock()) > 0:
            self._wait(self._news, limit, left)

    def _leave(self, request: Sent, error: BaseException | None) -> None:
        now = self._clock()
        with self._lock:
            was_paused = self._breaker.paused
            if error is None:
                self._answered += 1
                self._taken = Tokens(*map(sum, zip(self._taken, request.tokens, strict=True)))
                self._concurrency.answered(self._in_flight, now - request.at, now)
                self._breaker.answered(now, tried=request.tries_model)
                if self._tokens is not None:
                    self._tokens.correct(request.tokens.prompt + request.tokens.completion - request.reserved)
            else:
                self._failed += 1
                self._note(error, request, now)
            self._free_slot()
            if was_paused:
                self._news.notify_all()

    def _note(self, error: BaseException, request: Sent, now: float) -> None:
        if not isinstance(error, Exception) or isinstance(error, WorksmithError):
            self._breaker.given_up(tried=request.tries_model)
            return
        passes = may_be_over_soon(error)
        if passes and is_rate_limit(error):
            self._concurrency.refused(self._in_flight, request.at, now)
            self._hold(asked_wait(error), now)
        elif passes:
            self._breaker.failed(error, now, sent=request.at, tried=request.tries_model)
            return
        # The model works: it has too many requests, or refuses the content of this one.
        self._breaker.answered(now, tried=request.tries_model)

    def _hold(self, seconds: float, now: float) -> None:
        """Let no request through for so long; those with a place in the pace keep their distances."""
        longer = now + seconds - max(self._held_until, now)
        if longer > 0:
            self._held_until = now + seconds
            self._shifted += longer
            for pace in (self._requests, self._tokens):
                if pace is not None:
                    pace.shift(longer)

    def _free_slot(self) -> None:
        self._slots -= 1
        if waiting := self._waiting[TURN]:
            limit = self._concurrency.limit
            self._turn.notify(waiting if math.isinf(limit) else max(0, int(limit) - self._slots))

    def _wait(self, condition: threading.Condition, reason: str, seconds: float | None) -> None:
        self._waiting[reason] += 1
        try:
            condition.wait(seconds)
        finally:
            self._waiting[reason] -= 1


def _pace(per_minute: float | None) -> Pace | None:
    return None if per_minute is None else Pace(per_minute)


_LANES: WeakValueDictionary[Hashable, Lane] = WeakValueDictionary()
_OPENING = threading.Lock()


def lane_of(lm: Any) -> Lane:
    """The lane of a provider's model; models of one name, address, key and settings share one."""
    settings = getattr(lm, "wire", None) or WireSettings()
    place = ("api_base", "base_url", "api_key", "api_version", "aws_region_name")
    key = (type(lm), lm.model, settings, *(str(lm.kwargs.get(name)) for name in place))
    with _OPENING:
        lane = _LANES.get(key)
        if lane is None:
            lane = _LANES[key] = Lane(model_name(lm), settings)
        return lane


def traffic() -> list[Traffic]:
    """What goes on in all lanes that are in use, by the models' names."""
    with _OPENING:
        lanes = list(_LANES.values())
    return sorted((lane.traffic() for lane in lanes), key=lambda each: each.model)
