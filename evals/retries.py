"""When a failed request to a model is worth another try, and how long to wait before it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from evals.failures import failure_status
from evals.sdk_errors import http_status, is_sdk_error

FIRST_WAIT = 1.0
"""Seconds before the second try, where the server does not say; twice as long before each further one."""

LONGEST_WAIT = 60.0
"""Seconds that are waited at most, unless the server asks for more."""

_SOON_OVER = frozenset({408, 409, 425, 429, *range(500, 600)})
"""HTTP statuses that another try may not meet."""

_PASSING = re.compile("Connect|Timeout|TimedOut|Unavailable|Overloaded|RateLimit|Throttl|InternalServer")
"""Of the names of such exceptions."""

LONGEST_ASKED_FOR = 300.0
"""Seconds of a server's `Retry-After` that are waited; for one that asks for more there is no other try."""


def wait_before(error: Exception, tried: int) -> float | None:
    """Seconds to wait before another try; None where none would help.

    Args:
        error: of the last try.
        tried: how often the request was tried.
    """
    if not retryable(error):
        return None
    asked_for = next(filter(None, map(_retry_after, _causes(error))), None)
    if asked_for is None:
        return float(min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT))
    return asked_for if asked_for <= LONGEST_ASKED_FOR else None


def retryable(error: Exception) -> bool:
    """Whether a failure is of the infrastructure, and may be over soon.

    That is so of connections, time-outs, rate limits and servers that fail, whichever client says so; not of
    missing keys and unknown models.
    """
    from dspy.lm15 import RETRYABLE_ERRORS
    from dspy.utils.exceptions import is_retryable_lm_error

    if failure_status(error) != "model_error":
        return False
    return any(
        isinstance(each, (*RETRYABLE_ERRORS, ConnectionError, TimeoutError))
        or is_retryable_lm_error(each)
        or _soon_over(each)
        for each in _causes(error)
    )


def _soon_over(error: BaseException) -> bool:
    """What an exception of another client library says, by its HTTP status or else by its name."""
    if not is_sdk_error(error):
        return False
    status = http_status(error)
    return _PASSING.search(type(error).__name__) is not None if status is None else status in _SOON_OVER


def _causes(error: BaseException | None) -> Iterator[Any]:
    """An exception and those that it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__


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
