"""Why a model stopped, as providers say it, and what it means for an episode whose reply cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dspy.lm15 import RefusalPart, Response

from tools.statuses import EpisodeStatus


class Stopped(NamedTuple):
    """What a reason to stop means where the reply cannot be read.

    Attributes:
        problem: in words for the model and for people.
        remedy: what the model is to do besides replying in the right format.
    """

    status: EpisodeStatus
    problem: str
    remedy: str


STOPPED = {
    "length": Stopped(
        "truncated",
        "the reply was cut off at the limit of output tokens (max_tokens)",
        "Use fewer words, or do less at once.",
    ),
    "content_filter": Stopped("filtered", "a content filter held the reply back", "Use other words."),
    "refusal": Stopped(
        "refused",
        "the model refused",
        "If the task may not be done, finish it and say so in the answer.",
    ),
}
"""By reason. A reply that can be read is taken whatever the reason."""

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
        Empty where nothing is said.
    """
    if isinstance(response, list | tuple):
        return finish_reason(response[0]) if response else ""
    if isinstance(response, Response):
        # Not every refusal that a provider names is one in DSPy's response.
        refused = response.message.first(RefusalPart) or finish_reason(response.provider_data) == "refusal"
        return "refusal" if refused else str(response.finish_reason or "")
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


def _says_refusal(output: Any) -> bool:
    """Whether the output of the Responses API is a refusal."""
    parts = [part for item in output or () for part in _value(item, "content") or ()]
    return any(_value(part, "type") == "refusal" for part in parts)


def _named(reason: Any) -> str:
    name = str(reason or "").lower()
    return _OTHER_NAMES.get(name, name)


def _value(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
