"""A provider's cache of prompts: the tokens that it reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tools.episode_result import Tokens

if TYPE_CHECKING:
    from dspy import lm15


def tokens_of(response: lm15.Response) -> Tokens:
    """The tokens that a response reports. No report makes parts of the prompt larger than the prompt."""
    said = response.usage
    prompt = said.input_tokens or 0
    cached = min(said.cache_read_tokens or 0, prompt)
    return Tokens(prompt, said.output_tokens or 0, cached, min(said.cache_write_tokens or 0, prompt - cached))


def with_cache_writes(response: lm15.Response) -> lm15.Response:
    """A response of LiteLLM's with the tokens that the provider's cache took in: DSPy knows another key."""
    body: Mapping[str, Any] = response.provider_data or {}
    details = (body.get("usage") or {}).get("prompt_tokens_details") or {}
    written = details.get("cache_creation_tokens")
    if not written or response.usage.cache_write_tokens is not None:
        return response
    return replace(response, usage=replace(response.usage, cache_write_tokens=written))
