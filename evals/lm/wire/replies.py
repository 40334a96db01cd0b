"""Repairs replies of gateways with several choices, or with unreadable token counts.

DSPy's client refuses such a reply, which was paid. Its first choice is as good as any other; tokens that are
not reported are estimated, see `worksmith.evals.lm.estimates`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_MOST = 10**12
"""A larger number of tokens is invalid."""

_INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount")
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount")
_COUNTS = ("tokens", "TokenCount")
"""Ends of the names of numbers of tokens."""


def mended(body: bytes | bytearray) -> bytes:
    """The body of a reply as DSPy's client can read it; unchanged if it is not a JSON object."""
    data = _object(body)
    if data is None:
        return bytes(body)
    better = readable(data)
    same = better == data and repr(better.get("usage")) == repr(data.get("usage"))  # 1.0 equals 1
    return bytes(body) if same else json.dumps(better).encode()


def readable(data: Mapping[str, Any]) -> dict[str, Any]:
    """A reply with its first choice alone, without invalid token counts.

    A reply without any choice is refused as broken off.
    """
    found = dict(data)
    for name in ("choices", "candidates"):
        if name in found:
            given = found[name]
            first = given[0] if isinstance(given, list | tuple) and given else None
            found[name] = [first] if _says_something(first) else []
    for name in ("usage", "usageMetadata"):
        if name in found:
            found[name] = _counted(found[name])
    return found


def reported(body: bytes) -> tuple[int, int] | None:
    """The tokens of prompt and reply that a body reports; None if it does not."""
    data = readable(_object(body) or {})
    usage = data.get("usage") or data.get("usageMetadata") or {}
    counts = [next((usage[name] for name in names if usage.get(name)), None) for names in (_INPUT, _OUTPUT)]
    return None if counts[0] is None else (counts[0], counts[1] or 0)


def is_refusal(body: bytes) -> bool:
    """Whether an answer is an error without a reply, as some gateways send it with the status 200."""
    data = _object(body) or {}
    return bool(data.get("error")) and not (data.get("choices") or data.get("candidates"))


def _object(body: bytes | bytearray) -> dict[str, Any] | None:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _says_something(choice: Any) -> bool:
    if not isinstance(choice, Mapping):
        return False
    if "message" not in choice:  # Gemini's, or of a completion of texts
        return bool({"content", "text", "finishReason"} & choice.keys())
    message = choice["message"]
    return isinstance(message, Mapping) and isinstance(message.get("content"), str | list | tuple | None)


def _counted(usage: Any) -> dict[str, Any] | None:
    """What can be read of the tokens; None if those of the prompt or the reply cannot."""
    if not isinstance(usage, Mapping):
        return None
    found = {}
    for name, value in usage.items():
        if value is None or (name.endswith("_details") and not isinstance(value, Mapping)):
            continue
        if not name.endswith(_COUNTS):
            found[name] = _details(value) if isinstance(value, Mapping) else value
            continue
        if (count := _count(value)) is not None:
            found[name] = count
        elif name.endswith((*_INPUT, *_OUTPUT)):
            return None
    return found


def _details(part: Mapping[str, Any]) -> dict[str, Any]:
    counts = {name: _count(each) if name.endswith(_COUNTS) else each for name, each in part.items()}
    return {name: each for name, each in counts.items() if each is not None}


def _count(value: Any) -> int | None:
    """A number of tokens, also one that is written as a text or as a float."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:20])
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if good else None
