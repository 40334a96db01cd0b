"""The setting of a model that a provider refuses, from what it says."""

from __future__ import annotations

import re

_NAMES = {
    "temperature": r"\btemperature\b",
    "top_p": r"\b(top_p|topP)\b",
    "max_tokens": r"\b(max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)\b",
    "seed": r"\bseed\b",
    "stop": r"\b(stop_sequences|stopSequences)\b|['\"`]stop['\"`]",
    "reasoning_effort": r"\b(reasoning_effort|reasoning\.effort|thinking_config|thinkingConfig)\b"
    r"|['\"`](reasoning|thinking)['\"`]|\bthinking\.\w|\bthinking mode\b|\breasoning value\b",
}
"""What providers call a setting, in messages of OpenAI, Anthropic, Gemini, vLLM and LiteLLM."""


def refused_setting(text: str) -> str | None:
    """The setting that the message of a refused request names first; None if it names none."""
    found = {name: match.start() for name, known in _NAMES.items() if (match := re.search(known, text))}
    return min(found, key=lambda name: found[name]) if found else None
