"""When a failed request to a model is worth another try, and how long to wait before it."""

from __future__ import annotations

import math
from typing import Any

from evals.lm.failures import chain, may_be_over_soon

FIRST_WAIT = 1.0
"""Seconds before the second try, where the server does not say; twice as long before each further one."""

LONGEST_WAIT = 60.0
"""Seconds that are waited at most, unless the server asks for more."""

LONGEST_ASKED_FOR = 300.0
"""Seconds of a server's `Retry-After` that are waited; for one that asks for more there is no other try."""


def wait_before(error: Exception, tried: int) -> float | None:
    """Seconds to wait before another try; None where none would help.

    Args:
        error: of the last try.
        tried: how often the request was tried.
    """
    if not may_be_over_soon(error):
        return None
    asked_for = next(filter(None, map(_retry_after, chain(error))), None)
    if asked_for is None:
        return float(min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT))
    return asked_for if asked_for <= LONGEST_ASKED_FOR else None


def _retry_after(error: Any) -> float | None:
    """Seconds that a server asks to wait, as DSPy's errors or a client's response have it."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for said in (getattr(error, "retry_after", None), headers.get("retry-after")):
        try:
            seconds = float("" if said is None else said)
        except (TypeError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            # Nothing to wait for is not the same as nothing said.
            return max(seconds, 1e-3)
    return None
