"""The settings of generation in requests that an agent makes itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import dspy
from dspy.clients.backend_selection import CLIENT_KEYS
from dspy.lm15 import Config, LM15Error, ToolChoice, request_from_openai_chat

from worksmith.evals.lm.lm_proxy import ProxyLM
from worksmith.programs.prompting.forms import NATIVE
from worksmith.programs.prompting.replies.grammar import is_constrained
from worksmith.programs.prompting.tool_calling import engine_settings, itself
from worksmith.tools.errors import InputError

_CALL_CONTROL = ("rollout_id", "cache")
_SEVERAL_ANSWERS = ("n", "num_generations", "prompt_cache")


def direct_config(lm: Any, settings: Mapping[str, Any]) -> Config | None:
    """The generation settings for a direct request; None if DSPy must send the messages.

    Direct requests are for engine objects. For a hosted model they save no time worth having, and callbacks
    and streams expect DSPy's messages. A scripted engine finds its place by direct requests alone.
    """
    if type(lm) not in (dspy.LM, ProxyLM) or isinstance(lm.engine, str):
        return None
    if hasattr(lm.engine, "complete_legacy"):
        return None
    watched = lm.callbacks or dspy.settings.callbacks or dspy.settings.send_stream is not None
    engine = getattr(itself(lm), "engine", None)
    if watched and not (getattr(engine, "own_format", False) or getattr(engine, "constrained_forms", ())):
        return None
    if any(settings.get(name) not in (None, 1) for name in _SEVERAL_ANSWERS):
        return None
    try:
        return _converted(lm.model, _options(settings))
    except TypeError:  # a setting that is not hashable
        return None


def native_config(lm: Any, settings: Mapping[str, Any], *, stepwise: bool) -> Config:
    """The generation settings for a request with tools.

    Args:
        stepwise: ask for one call a reply, where models can be asked.

    Raises:
        InputError: a setting of the model does not go with native tool calls.
    """
    try:
        config = _converted(lm.model, _options(settings))
    except (LM15Error, TypeError, ValueError) as error:
        raise InputError(
            f"a setting of {lm.model} does not go with native tool calls",
            where=str(error),
            hint="leave it out, or have calls written as text (--prompt text)",
        ) from error
    held = is_constrained(lm, NATIVE)
    told = stepwise and (held or "parallel_tool_calls" in getattr(lm, "supported_params", ()))
    choice = ToolChoice("required" if held else "auto", parallel=False if told else None)
    more = {**(config.extensions or {}), **engine_settings(lm)}
    return replace(config, tool_choice=choice, extensions=more or None)


def _options(settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The generation settings: without those of the connection and those of the call as a whole."""
    left_out = {*_CALL_CONTROL, *_SEVERAL_ANSWERS, *CLIENT_KEYS}
    kept = {name: value for name, value in settings.items() if value is not None and name not in left_out}
    return tuple(sorted(kept.items()))


def call_control(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of one call as a whole, such as whether its reply may come from a cache."""
    return {name: settings[name] for name in _CALL_CONTROL if settings.get(name) is not None}


@lru_cache(maxsize=256)
def _converted(model: str, options: tuple[tuple[str, Any], ...]) -> Config:
    # DSPy's own conversion, so that a setting means the same in a direct request.
    body = {"model": model, "messages": [{"role": "user", "content": "-"}], **dict(options)}
    return request_from_openai_chat(body).config
