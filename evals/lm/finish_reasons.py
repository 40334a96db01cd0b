"""Finish reasons: why a model stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dspy.lm15 import RefusalPart, Response, ServerError

_OTHER_NAMES = {
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "abort": "error",
    "safety": "content_filter",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
}


def finish_reason(response: Any) -> str:
    """The reason of a response: `stop`, `length`, `tool_call`, `content_filter`, `refusal` or `error`.

    Args:
        response: DSPy's own, or one as a provider's client gives it. Of several completions the first counts.

    Returns:
        Empty without one.
    """
    if isinstance(response, list | tuple):
        return finish_reason(response[0]) if response else ""
    if isinstance(response, Response):
        # Not all that a provider names is in DSPy's response.
        named = finish_reason(response.provider_data) if response.provider_data else ""
        if named in ("refusal", "error", "length"):
            return named
        return "refusal" if response.message.first(RefusalPart) else str(response.finish_reason or "")
    choices = _value(response, "choices")
    if choices:
        message = _value(choices[0], "message")
        refused = _value(message, "refusal") or _kept(message, "refusal")
        reason = _kept(choices[0], "native_finish_reason") or _value(choices[0], "finish_reason")
        return "refusal" if refused else _named(reason)
    if _value(response, "error") or choices == [] or _says_nothing(response):
        return "error"
    if _value(response, "status") == "incomplete":
        return _named(_value(_value(response, "incomplete_details"), "reason"))
    if _says_refusal(_value(response, "output")):
        return "refusal"
    reason = _named(_value(response, "stop_reason"))
    return reason if reason in ("refusal", "length") else ""


def settled(response: Response) -> Response:
    """The response with its finish reason, and with a refusal as a part of its message.

    So the provider's own data, which is not kept, is not needed any more.

    Raises:
        lm15.ServerError: the provider broke the reply off.
    """
    reason, message = finish_reason(response), response.message
    if reason == "error":
        broken = ServerError("the provider broke the reply off")
        counts = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        broken.answer = json.dumps({"usage": counts}).encode()  # it was paid all the same
        raise broken
    if reason == "length":
        return replace(response, finish_reason=reason)
    if reason != "refusal" or message.first(RefusalPart):
        return response
    refusal = RefusalPart(message.text or "(no reason given)")
    return replace(response, message=replace(message, parts=(*message.parts, refusal)))


def _says_nothing(response: Any) -> bool:
    """Whether a response of Gemini has no reply in it and gives no reason."""
    return _value(response, "usageMetadata") is not None and not _value(response, "candidates")


def _kept(thing: Any, name: str) -> Any:
    """A value that LiteLLM keeps beside OpenAI's own names."""
    return _value(_value(thing, "provider_specific_fields"), name)


def _says_refusal(output: Any) -> bool:
    """Whether the output of the Responses API is a refusal."""
    parts = [part for item in output or () for part in _value(item, "content") or ()]
    return any(_value(part, "type") == "refusal" for part in parts)


def _named(reason: Any) -> str:
    name = str(reason or "").lower()
    return _OTHER_NAMES.get(name, name)


def _value(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
