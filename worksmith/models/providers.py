"""The providers of models. A typing error is found before anything is asked or paid."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

from worksmith.tools.errors import InputError

_LIST = "provider_endpoints_support_backup.json"
"""LiteLLM's own list of providers, beside its code."""


def check_provider(name: str) -> None:
    """Check the provider in `PROVIDER/MODEL`.

    Raises:
        InputError: the provider is unknown.
    """
    provider = name.partition("/")[0]
    if provider not in _listed() and not _found(name):
        raise InputError(
            f"no provider {provider!r}", where=name, hint="e.g. openai/gpt-4o-mini, ollama_chat/llama3.2"
        )


@cache
def _listed() -> frozenset[str]:
    """The providers of the list, read from its file: LiteLLM takes seconds to import."""
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None:
        return frozenset()
    try:
        text = Path(found.origin).with_name(_LIST).read_text(encoding="utf-8")
        return frozenset(json.loads(text)["providers"])
    except (OSError, ValueError, KeyError):
        return frozenset()


def _found(name: str) -> bool:
    """Whether LiteLLM finds a provider for the model; the list does not have all."""
    try:
        import litellm
    except ImportError:
        return True
    from litellm.exceptions import BadRequestError

    quiet, litellm.suppress_debug_info = litellm.suppress_debug_info, True
    try:
        litellm.get_llm_provider(name)
    except BadRequestError:
        return False
    finally:
        litellm.suppress_debug_info = quiet
    return True
