"""Exceptions of client libraries, classified without importing them.

They are known by the modules and names of their classes and by their HTTP or gRPC status, in DSPy's client as
in a user's own program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

from worksmith.evals.lm.refusals import refused_access
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.statuses import EpisodeStatus

_RULES = read_toml("worksmith.evals.lm", "sdk_errors.toml")
_PACKAGES = frozenset(_RULES["packages"])

_LASTING = _RULES["lasting"]
_AWS_LASTING = re.compile("|".join(_LASTING["amazon"]))

_PROGRAMS_OWN = frozenset({400, 413, 422})
"""HTTP statuses of wrong requests."""

_GRPC_OWN = frozenset({"INVALID_ARGUMENT", "OUT_OF_RANGE", "FAILED_PRECONDITION", "UNIMPLEMENTED"})

_AWS_NO_ANSWER = re.compile(
    r"Throttl|TooManyRequests|Unavailable|Quota|Timeout|NotReady|Expired|Unrecognized|AccessDenied|Signature"
)
"""Codes that Amazon sends with the status 400 for requests that are right."""

_AWS_TOO_MANY = re.compile(r"Throttl|TooManyRequests")

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (context|input) length|request too large"
    r"|(prompt|input|request) is too l(ong|arge)|too many (input )?tokens|input token count"
    r"|maximum number of (input )?tokens|reduce the length of the (messages|prompt)",
    re.IGNORECASE,
)

_FILTERED = re.compile(
    r"(?i:content[ _-]?(management )?(filter|polic)|ResponsibleAIPolicyViolation|(prompt|candidate) blocked)"
    r"|\b(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|promptFeedback|invalid_prompt|was flagged)\b"
)

_UNREADABLE = re.compile(
    r"\b(MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_RESPONSE)\b"
    r"|must contain only JSON-compatible values|tool call with no name"
    r"|Invalid response object[\s\S]*json\.loads"
)
"""Messages about unreadable replies, of Gemini and of DSPy's clients: the model wrote these replies."""

_LONGEST = 20_000


def is_sdk_error(error: BaseException) -> bool:
    """Whether an exception is of a known client library, or derived from one."""
    return bool(_names(error))


def sdk_status(error: BaseException) -> EpisodeStatus | None:
    """The episode's status after an exception of a client library; None if undecided."""
    names = _names(error)
    named = _by_name("first", names)
    if named is not None:
        return named
    code = _grpc_code(error)
    if code:
        return request_status(error) if code in _GRPC_OWN else "model_error"
    if _AWS_NO_ANSWER.search(_amazon_code(error)):
        return "model_error"
    status = http_status(error)
    if status is not None:
        return status_of_code(status, error)
    return _by_name("last", names) or _by_name("exactly", names[:1])


def framework_status(error: BaseException) -> EpisodeStatus | None:
    """The episode's status after an exception with which an agent's framework stops it; None for another."""
    named = [f"{cls.__module__}.{cls.__qualname__}" for cls in type(error).__mro__]
    return _by_name("frameworks", named)


def is_lasting(error: BaseException) -> bool:
    """Whether the next try would meet the same exception of a client library, DSPy included."""
    names = _names(error, _PACKAGES | {"dspy"})
    if not names:
        return False
    return (
        http_status(error) in _LASTING["http"]
        or _grpc_code(error) in _LASTING["grpc"]
        or _AWS_LASTING.search(_amazon_code(error)) is not None
        or not set(_LASTING["names"]).isdisjoint(names)
        or _by_name("exactly", names[:1]) is not None
        or refused_access(_said(error)) is not None
        or "CERTIFICATE_VERIFY_FAILED" in str(error)
    )


def says_too_many(error: BaseException) -> bool:
    """Whether an exception of a client library reports too many requests to the server."""
    return (
        http_status(error) == 429
        or _grpc_code(error) == "RESOURCE_EXHAUSTED"
        or _AWS_TOO_MANY.search(_amazon_code(error)) is not None
        or "RateLimitError" in _names(error)
    )


def status_of_code(code: int, error: BaseException) -> EpisodeStatus:
    """The episode's status after an HTTP status from 400 on."""
    if code == 413:
        return "context_limit"
    if code == 403 and _FILTERED.search(_said(error)):
        return "filtered"  # OpenRouter's moderation
    return request_status(error) if code in _PROGRAMS_OWN else "model_error"


def request_status(error: BaseException) -> EpisodeStatus:
    said = _said(error)
    if says_too_long(said):
        return "context_limit"
    if _FILTERED.search(said):
        return "filtered"
    if refused_access(said):
        return "model_error"
    return "invalid_reply" if says_unreadable(said) else "invalid_request"


def http_status(error: BaseException) -> int | None:
    """The HTTP status of an exception, from 400 on, if any."""
    response = getattr(error, "response", None)
    places = [getattr(error, name, None) for name in ("status_code", "status", "code")]
    places.append(getattr(error, "provider_code", None))  # OpenRouter's, in a reply with the status 200
    places += [getattr(response, name, None) for name in ("status_code", "status")]
    if isinstance(response, Mapping):
        places.append(_inside(response, "ResponseMetadata", "HTTPStatusCode"))
    for value in places:
        text = str(int(value)) if isinstance(value, int) else value
        if isinstance(text, str) and re.fullmatch(r"[45]\d\d", text):
            return int(text)
    return None


def says_too_long(text: str) -> bool:
    """Whether an error message is about a prompt that is too long for the model."""
    return _TOO_LONG.search(text) is not None


def says_unreadable(text: str) -> bool:
    """Whether an error message is about an unreadable reply."""
    return _UNREADABLE.search(text[:_LONGEST]) is not None


def _names(error: BaseException, packages: Set[str] = _PACKAGES) -> list[str]:
    """The names of an exception's class and its bases in these packages."""
    return [cls.__name__ for cls in type(error).__mro__ if cls.__module__.partition(".")[0] in packages]


def _by_name(rules: str, names: Sequence[str]) -> EpisodeStatus | None:
    return next((status for status, known in _RULES[rules].items() if not set(known).isdisjoint(names)), None)


def _said(error: BaseException) -> str:
    """The text of an exception with its body and codes."""
    response = getattr(error, "response", None)
    try:
        body = getattr(response, "text", None)
    except Exception:  # a body that was not read; to read it now could wait for a server
        body = None
    codes = [getattr(error, name, None) for name in ("code", "type", "provider_code", "body")]
    return " ".join(str(part) for part in (error, *codes, body) if part)[:_LONGEST]


def _amazon_code(error: BaseException) -> str:
    response = getattr(error, "response", None)
    return str(_inside(response, "Error", "Code") or "") if isinstance(response, Mapping) else ""


def _grpc_code(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return str(getattr(code(), "name", "")) if callable(code) else ""


def _inside(data: Mapping[str, Any], outer: str, inner: str) -> Any:
    found = data.get(outer)
    return found.get(inner) if isinstance(found, Mapping) else None
