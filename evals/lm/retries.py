"""Retries of failed requests to a model, and the wait before them."""

from __future__ import annotations

from evals.lm.failures import chain, may_be_over_soon
from evals.lm.waits import wait_asked_for

FIRST_WAIT = 1.0
"""Seconds before the second try, unless the server says; doubled before each further one."""

LONGEST_WAIT = 60.0
"""The most seconds to wait, unless the server asks for more."""

LONGEST_ASKED_FOR = 300.0
"""The most seconds of a server's `Retry-After`; after a longer one there is no other try."""


def wait_before(error: Exception, tried: int) -> float | None:
    """Seconds to wait before another try; None if none would help.

    Args:
        error: of the last try.
        tried: the number of tries so far.
    """
    if not may_be_over_soon(error):
        return None
    asked_for = wait_asked_for(list(chain(error)))
    if asked_for is None:
        return float(min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT))
    return asked_for if asked_for <= LONGEST_ASKED_FOR else None
