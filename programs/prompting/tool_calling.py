"""Native tool calls of models: which have them, and the settings that requests need."""

from __future__ import annotations

from typing import Any

from worksmith.evals.lm.prices import listed
from worksmith.tools.errors import InputError


def check_native(lm: Any) -> None:
    """Check that a model may have native tool calls. A server with unlisted models is tried.

    Raises:
        InputError: it has no tool calls.
    """
    if lm is None or getattr(lm, "supports_function_calling", False):
        return
    if _hosted(lm) and not listed(itself(lm).model) and getattr(itself(lm), "tool_calls", None) is None:
        return
    more = ", or, if it has them, set tool_calls = true for it in worksmith.toml" if _hosted(lm) else ""
    raise InputError(
        f"{itself(lm).model} has no native tool calls",
        where="--prompt native",
        hint=f"have calls written as text (--prompt text){more}",
    )


def engine_settings(lm: Any) -> dict[str, Any]:
    """Settings that a request with tools needs.

    LiteLLM first passes tools to a module that needs its own release of the package `mcp`, even without such
    tools; it is told to leave that out.
    """
    lm = itself(lm)
    if not _hosted(lm) or not hasattr(lm, "engine"):
        return {}
    from dspy.clients.backend_selection import select_backend

    return {} if select_backend(lm).native else {"_skip_mcp_handler": True}


def _hosted(lm: Any) -> bool:
    """Whether a server answers."""
    return isinstance(getattr(itself(lm), "engine", "auto"), str)


def itself(lm: Any) -> Any:
    """The model, or the one that it stands in for."""
    original = getattr(getattr(lm, "engine", None), "original", None)
    return lm if original is None else itself(original)
