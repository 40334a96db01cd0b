"""Retries of failed requests to a model, and the wait before them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from worksmith.evals.lm.failures import chain, is_rate_limit, may_be_over_soon
from worksmith.evals.lm.waits import wait_asked_for
from worksmith.evals.lm.wire.breaker import PausedError

T = TypeVar("T")

FIRST_WAIT = 1.0
"""Seconds before the second try, unless the server sets it; doubled before each further one."""

LONGEST_WAIT = 60.0
"""The most seconds to wait, unless the server asks for more."""

LONGEST_ASKED_FOR = 300.0
"""The most seconds of a server's `Retry-After`; a longer one ends the tries."""


_JITTER = random.Random()
"""Of its own: a program may have seeded the common one. It decides no result, only when a request is sent."""


def with_retries(
    ask: Callable[[], T], *, tries: int, seconds: float, again: Callable[[], None] | None = None
) -> T:
    """What `ask` returns, which is called again after failures that may be over soon.

    A refusal for too many requests is no failure: it is tried again for as long as the time lasts.

    Args:
        tries: the most calls that fail; 1 for a single call.
        seconds: from the first call, after which no other one begins.
        again: called before each call but the first; what it raises ends the tries.

    Raises:
        Exception: of the last call.
    """
    started, left = time.monotonic(), tries
    for tried in count(1):
        try:
            return ask()
        except Exception as error:
            paused = isinstance(error, PausedError)
            left -= tries == 1 or paused or not is_rate_limit(error)
            wait = 0.0 if paused else wait_before(error, tried)  # a pause is a wait itself
            if wait is None or left <= 0:
                raise
            # Not all that failed at once are to come again at once, nor sooner than the server asks for.
            wait *= _JITTER.uniform(0.5, 1.0) if _asked_for(error) is None else _JITTER.uniform(1.0, 1.1)
            if time.monotonic() - started + wait >= seconds:
                raise
        time.sleep(wait)
        if again is not None:
            again()
    raise AssertionError("a count has no end")


def wait_before(error: BaseException, tried: int) -> float | None:
    """Seconds to wait before another try, without the random part; None if no try would help.

    Args:
        error: of the last try.
    """
    if not may_be_over_soon(error):
        return None
    asked_for = _asked_for(error)
    if asked_for is None:
        return float(min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT))
    return asked_for if asked_for <= LONGEST_ASKED_FOR else None


def asked_wait(error: BaseException) -> float:
    """Seconds that the server asks all requests to wait; 0 without such a demand or with too long a one."""
    asked_for = _asked_for(error) or 0.0
    return asked_for if asked_for <= LONGEST_ASKED_FOR else 0.0


def _asked_for(error: BaseException) -> float | None:
    return wait_asked_for(list(chain(error)))
