"""The wait that a server asks for before another try, in the forms of the providers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_RESET = 60.0
"""The most seconds of a reset: it is the time until the whole quota is back, and a request needs less."""

_SHORTEST = 1e-3
"""The shortest wait; a server may ask for 0 seconds."""

_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}

_DURATION = r"(?:\d+(?:\.\d+)?(?:ms|[smh]))+"
"""OpenAI's and Google's form: `20ms`, `8.64s`, `6m0s`."""

_SAID = (
    # google.rpc.RetryInfo in the body of Gemini and Vertex
    re.compile(rf"retryDelay\W+({_DURATION})\W"),
    re.compile(rf"\b(?:re)?try (?:again )?(?:in|after) ({_DURATION}|\d+ sec\w*)\b", re.IGNORECASE),
)


def wait_asked_for(errors: Sequence[Any]) -> float | None:
    """Seconds that a server asks to wait; None if it does not.

    Milliseconds come before seconds, which OpenAI and Azure round up, and headers before text. If the server
    reports only an exhausted quota, the time until its reset, at most `LONGEST_RESET`.

    Args:
        errors: an exception of DSPy or of a client, and its causes.
    """
    headers = dict(_headers(errors))
    asked = (
        _of_milliseconds(headers.get("retry-after-ms") or headers.get("x-ms-retry-after-ms")),
        *(_finite(getattr(error, "retry_after", None)) for error in errors),
        _finite(headers.get("retry-after")),
        _until(headers.get("retry-after")),
        *map(_said, errors),
        _reset(headers),
    )
    wait = next((seconds for seconds in asked if seconds is not None), None)
    return None if wait is None else max(wait, _SHORTEST)


def _headers(errors: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The headers of the response, with small letters, from DSPy's client, LiteLLM or another one."""
    for error in errors:
        for place in (
            getattr(getattr(error, "response", None), "headers", None),
            getattr(error, "litellm_response_headers", None),
            getattr(error, "rate_limit_headers", None),
        ):
            for name, value in place.items() if isinstance(place, Mapping) else ():
                yield str(name).lower(), str(value[0] if isinstance(value, tuple) and value else value)


def _said(error: Any) -> float | None:
    text = f"{error} {getattr(error, 'body', None) or ''}"
    found = next((match for form in _SAID if (match := form.search(text))), None)
    if found is None:
        return None
    return _duration(found[1]) or _finite(found[1].partition(" ")[0])


def _reset(headers: Mapping[str, str]) -> float | None:
    """The time until the quota that is used up is back; of two the longer one."""
    resets = [
        _duration(headers.get(f"x-ratelimit-reset-{unit}", ""))
        for unit in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{unit}") == "0"
    ]
    longest = max(filter(None, resets), default=None)
    return None if longest is None else min(longest, LONGEST_RESET)


def _duration(text: str) -> float | None:
    if not re.fullmatch(_DURATION, text):
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[smh])", text)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _of_milliseconds(text: str | None) -> float | None:
    milliseconds = _finite(text)
    return None if milliseconds is None else milliseconds / 1000


def _finite(said: Any) -> float | None:
    try:
        seconds = float(said)
    except (TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str | None) -> float | None:
    """The seconds until an HTTP date."""
    try:
        when = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
