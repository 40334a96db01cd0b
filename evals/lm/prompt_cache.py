"""A provider's cache of prompts: markers for those that want them, and the tokens that all report.

Most providers find the repeated beginning of a prompt by themselves. Claude, with Anthropic, Amazon and
Google, caches only as far as a marker, of which a request has at most four. They stand at the end of the
system message, behind the demonstrations, behind the message before the last, and where the next prompt will
begin with all of this one, at the end. A marker changes nothing that the model reads, so it is in no digest
and in no key of a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dspy.lm15 import CacheConfig, Request, TextPart, ToolCallPart, ToolResultPart

from worksmith.evals.lm.prices import listed
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.tools.episode_result import Tokens

if TYPE_CHECKING:
    import dspy
    from dspy import lm15

Mark = Callable[[Request], Request]

_SHORTEST = 2048
"""Characters. Shorter prompts have less than the 1,024 tokens that all providers want for their caches."""

_MARKER = {"type": "ephemeral"}

_TRANSLATED = ("anthropic/", "azure_ai/", "bedrock/", "openrouter/", "vertex_ai/")
"""Providers of Claude for whom LiteLLM translates markers."""


@dataclass(frozen=True, slots=True)
class RepeatingRequest(Request):  # type: ignore[misc]
    """A request with the part of its prompt that other prompts will repeat.

    Attributes:
        grows: whether the next prompt will begin with all of this one.
        shown: the number of messages of demonstrations, with which prompts of other tasks may begin as well.
    """

    grows: bool = field(default=False, compare=False, repr=False)
    shown: int = field(default=0, compare=False, repr=False)


def native_mark(lm: dspy.BaseLM, provider: str) -> Mark:
    """A function that marks requests for DSPy's own client.

    It places a marker in the system message and one in another message. Only Anthropic's own servers
    certainly take a third one at the end, and joined messages.
    """
    if "anthropic" not in provider or not _wanted(lm):
        return _unmarked
    own = provider == "anthropic" and not {"api_base", "base_url"} & set(lm.kwargs)

    def mark(request: Request) -> Request:
        if request.config.cache is not None or _short(request):
            return request
        grows = _grows(request)
        last = {"cache_control": _MARKER} if own and grows else {}
        place = len(request.messages) - (1 if grows and not own else 2)
        if last and (shown := _shown(request)):
            place = shown - 1
        within = place >= 0 and _takes_marker(request.messages[place])
        cache = CacheConfig(prefix_until_index=place) if within else CacheConfig(prefix="stable")
        more = {**(request.config.extensions or {}), **last}
        return replace(request, config=replace(request.config, cache=cache, extensions=more or None))

    return mark


def compatible_mark(lm: dspy.BaseLM) -> Mark:
    """A function that marks requests for LiteLLM."""
    name = str(lm.model)
    if not (name.startswith(_TRANSLATED) and "claude" in name and _wanted(lm)):
        return _unmarked
    known = listed(name) or listed(name.rpartition("/")[2])
    if name.startswith("bedrock/") and not known.get("supports_prompt_caching"):
        return _unmarked  # Amazon refuses markers for models without a cache

    def mark(request: Request) -> Request:
        if _short(request):
            return request
        shown = _shown(request)
        places = [shown - 1 - len(request.messages)] if shown else []
        places += [-2] if len(request.messages) > 1 and -2 not in places else []
        places += [-1] if _grows(request) else []
        points: list[dict[str, Any]] = [{"location": "message", "role": "system"}]
        points += [{"location": "message", "index": place} for place in places]
        more = {**(request.config.extensions or {}), "cache_control_injection_points": points}
        return replace(request, config=replace(request.config, extensions=more))

    return mark


def _unmarked(request: Request) -> Request:
    return request


def _wanted(lm: dspy.BaseLM) -> bool:
    wire: WireSettings = getattr(lm, "wire", None) or WireSettings()
    return wire.prompt_cache


def _grows(request: Request) -> bool:
    return isinstance(request, RepeatingRequest) and request.grows


def _shown(request: Request) -> int:
    return request.shown if isinstance(request, RepeatingRequest) else 0


def _short(request: Request) -> bool:
    offered = (getattr(tool, "description", None) for tool in request.tools or ())
    said = (getattr(part, "text", None) for message in request.messages for part in message.parts)
    return sum(len(str(text)) for text in (request.system, *offered, *said) if text) < _SHORTEST


def _takes_marker(message: lm15.Message) -> bool:
    last = message.parts[-1]
    return isinstance(last, ToolCallPart | ToolResultPart) or (isinstance(last, TextPart) and bool(last.text))


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
