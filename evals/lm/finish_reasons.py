"""Finish reasons: why a model stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dspy.lm15 import RefusalPart, Response, ServerError

_OTHER_NAMES = {
    "max_tokens": "length",
    "max_output_tokens": "length",
    "safety": "content_filter",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
}


def finish_reason(response: Any) -> str:
    """The reason of a response: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or `error`.

    Args:
        response: DSPy's own, or one as a provider's client gives it. Of several completions the first counts.

    Returns:
        Empty if the response has none.
    """
    if isinstance(response, list | tuple):
        return finish_reason(response[0]) if response else ""
    if isinstance(response, Response):
        # Not all that a provider names is in DSPy's response.
        named = finish_reason(response.provider_data)
        if named in ("refusal", "error"):
            return named
        return "refusal" if response.message.first(RefusalPart) else str(response.finish_reason or "")
    choices = _value(response, "choices")
    if choices:
        message = _value(choices[0], "message")
        kept = _value(message, "provider_specific_fields")  # by LiteLLM
        refused = _value(message, "refusal") or _value(kept, "refusal")
        return "refusal" if refused else _named(_value(choices[0], "finish_reason"))
    if _value(response, "status") == "incomplete":
        return _named(_value(_value(response, "incomplete_details"), "reason"))
    refused = _value(response, "stop_reason") == "refusal" or _says_refusal(_value(response, "output"))
    return "refusal" if refused else ""


def settled(response: Response) -> Response:
    """The response with a refusal as a part of its message, so that the provider's own data is not needed.

    Raises:
        lm15.ServerError: the provider broke the reply off.
    """
    reason, message = finish_reason(response), response.message
    if reason == "error":
        raise ServerError("the provider broke the reply off")
    if reason != "refusal" or message.first(RefusalPart):
        return response
    refusal = RefusalPart(message.text or "(no reason given)")
    return replace(response, message=replace(message, parts=(*message.parts, refusal)))


def _says_refusal(output: Any) -> bool:
    """Whether the output of the Responses API is a refusal."""
    parts = [part for item in output or () for part in _value(item, "content") or ()]
    return any(_value(part, "type") == "refusal" for part in parts)


def _named(reason: Any) -> str:
    name = str(reason or "").lower()
    return _OTHER_NAMES.get(name, name)


def _value(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
