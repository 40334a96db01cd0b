"""The subject of a provider's refusal: a setting, the key, the account or the model's name."""

from __future__ import annotations

import json
import re
from typing import Literal

Access = Literal["no key", "key", "credit", "model"]

_NAMES = {
    "temperature": r"\btemperature\b",
    "top_p": r"\b(top_p|topP)\b",
    "max_tokens": r"\b(max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)\b",
    "seed": r"\bseed\b",
    "stop": r"\b(stop_sequences|stopSequences)\b|['\"`]stop['\"`]",
    "reasoning_effort": r"\b(reasoning_effort|reasoning\.effort|thinking_config|thinkingConfig)\b"
    r"|['\"`](reasoning|thinking)['\"`]|\bthinking\.\w|\bthinking mode\b|\breasoning value\b",
    "prompt_cache": r"\bcache_control\b|\bcachePoint\b|\bprompt caching\b",
}
"""What providers call a setting, in messages of OpenAI, Anthropic, Gemini, vLLM and LiteLLM."""


def refused_setting(text: str, body: str = "") -> str | None:
    """The setting that a refused request is about; None if the provider names no setting.

    Args:
        body: of the response, in which OpenAI names a parameter and OpenRouter quotes another provider.
    """
    return _first_named(text) or _first_named(_details(body))


def _first_named(text: str) -> str | None:
    found = {name: match.start() for name, known in _NAMES.items() if (match := re.search(known, text))}
    return min(found, key=lambda name: found[name]) if found else None


def _details(body: str) -> str:
    """The parts of a body that name a parameter; others may repeat the whole request."""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return ""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else ""
    return f"'{error.get('param')}' {raw}"


_ACCESS: dict[Access, str] = {
    "no key": r"Missing credentials|Unable to locate credentials|api_key client option must be set"
    r"|default credentials were not found",
    "key": r"API key not valid|location is not supported",
    "credit": r"credit balance is too low",
    "model": r"\binvalid_model\b|not a valid model|model identifier is invalid"
    r"|on-demand throughput isn.t supported",
}
"""Messages of clients that find no key, with the status 500 of LiteLLM, and of Gemini, Anthropic, Mistral,
OpenRouter and Bedrock, with the status 400 of wrong requests.
"""


def refused_access(text: str) -> Access | None:
    """A missing or refused condition of every request, such as a key; None for a fault of one request."""
    return next((part for part, known in _ACCESS.items() if re.search(known, text, re.IGNORECASE)), None)
