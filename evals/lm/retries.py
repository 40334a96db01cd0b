"""Retries of failed requests to a model, and the wait before them."""

from __future__ import annotations

import math
from typing import Any

from evals.lm.failures import chain, may_be_over_soon

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
    asked_for = next(filter(None, map(_retry_after, chain(error))), None)
    if asked_for is None:
        return float(min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT))
    return asked_for if asked_for <= LONGEST_ASKED_FOR else None


def _retry_after(error: Any) -> float | None:
    """Seconds that a server asks to wait, from DSPy's error or a client's response."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for said in (getattr(error, "retry_after", None), headers.get("retry-after")):
        try:
            seconds = float("" if said is None else said)
        except (TypeError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            # A server that says 0 seconds has said something.
            return max(seconds, 1e-3)
    return None
