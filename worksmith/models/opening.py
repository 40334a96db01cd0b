"""Opening a provider's model by its settings."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.models.named import is_named, use_price
from worksmith.models.providers import check_provider
from worksmith.models.settings import NamedModel
from worksmith.tools.errors import InputError
from worksmith.tools.files.secrets import hide_variable

if TYPE_CHECKING:
    import dspy

_READ_TIMEOUT = 600.0
"""Seconds that DSPy's client waits for a reply if no `timeout` is set."""

_LIMITS = {field.name for field in fields(WireSettings)}

_NOT_DSPYS = {
    "model",
    "api_key_env",
    "headers",
    "proxy",
    "timeout",
    "connect_timeout",
    "input_price",
    "output_price",
    "cached_input_price",
    "cache_write_price",
    "context_window",
    "constrained",
    "tool_calls",
    "precision",
}
"""Settings that DSPy takes in another form, or not at all."""

_DSPY_NAMES = {"api": "model_type", "region": "aws_region_name"}
"""Settings that DSPy or LiteLLM calls otherwise."""

_VERSIONED = ("anthropic/", "ollama/", "ollama_chat/")
"""Models whose servers have their API under `/v1`, which people leave out of the address."""

_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")


def open_model(settings: NamedModel, name: str) -> dspy.LM:
    """The model with these settings. Its price and its proxy are in use from now on.

    Args:
        name: by which it was asked for, for errors.

    Raises:
        InputError: the provider is unknown, a variable is not set, or DSPy refuses the settings.
    """
    from dspy.clients.backend_selection import select_backend
    from dspy.utils.exceptions import LMConfigurationError

    from worksmith.evals.lm.provider_model import ProviderModel

    check_provider(settings.model)
    given = _arguments(settings, name)
    if settings.proxy is not None:
        _use_proxy(settings.proxy)
    if settings.price is not None:
        use_price(settings.model, settings.price)
    wire = WireSettings(**settings.model_dump(include=_LIMITS, exclude_none=True))
    try:
        lm = ProviderModel(
            settings.model,
            wire=wire,
            tool_calls=settings.tool_calls,
            constrained=settings.constrained,
            **given,
        )
    except (LMConfigurationError, ValueError) as error:
        raise InputError(str(error), where=name, hint="change the model's settings") from error
    if settings.api == "responses" and not select_backend(lm).native:
        raise InputError(
            f"the Responses API of {settings.model} cannot be asked with these settings",
            where=name,
            hint="it is asked by DSPy's own client: openai/ models without headers and OPENAI_BASE_URL, "
            "azure/ models without headers, api_base and api_version",
        )
    return lm


def _arguments(settings: NamedModel, name: str) -> dict[str, Any]:
    """The settings that DSPy takes, by its names."""
    said: dict[str, Any] = settings.model_dump(exclude=_NOT_DSPYS | _LIMITS, exclude_none=True)
    given = {_DSPY_NAMES.get(setting, setting): value for setting, value in said.items()}
    if settings.api_base is not None:
        given["api_base"] = _with_version(settings.api_base, settings.model)
    if settings.api_key_env is not None:
        given["api_key"] = _variable(settings.api_key_env, name, "the key of the model")
    if settings.headers:
        given["extra_headers"] = {
            header: _variable(variable, name, f"the header {header}")
            for header, variable in settings.headers.items()
        }
    if settings.connect_timeout is not None:
        import httpx

        given["timeout"] = httpx.Timeout(settings.timeout or _READ_TIMEOUT, connect=settings.connect_timeout)
    elif settings.timeout is not None:
        given["timeout"] = settings.timeout
    return given


def _with_version(address: str, model: str) -> str:
    bare = urlsplit(address).path in ("", "/") and model.startswith(_VERSIONED)
    return f"{address.rstrip('/')}/v1" if bare else address


def _variable(variable: str, name: str, holds: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise InputError(
            f"the environment variable {variable} is not set",
            where=f"models.{name}" if is_named(name) else name,
            hint=f"it holds {holds}",
        )
    hide_variable(variable)
    return value


def _use_proxy(address: str) -> None:
    """Send the requests of this process through a proxy: clients of all kinds read these variables.

    Raises:
        InputError: another proxy is in use.
    """
    for variable in _PROXIES:
        other = os.environ.get(variable)
        if other and other != address:
            raise InputError(
                f"{variable} names another proxy",
                where=f"proxy = {address}",
                hint="one command has one proxy; unset the variable or leave the setting out",
            )
    os.environ.update(dict.fromkeys(_PROXIES, address))
    if not (os.environ.get("NO_PROXY") or os.environ.get("no_proxy")):
        os.environ.update(dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1,::1"))
