"""Models of providers with their settings: from a project file, or given with a model's name."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evals.lm.prices import Price, per_million
from evals.lm.wire.settings import WireSettings
from tools.errors import InputError
from tools.files.json_files import validated
from tools.files.secrets import hide_variable

if TYPE_CHECKING:
    import dspy

_READ_TIMEOUT = 600.0
"""Seconds that DSPy's client waits for a reply if no `timeout` is set."""

_OF_PROVIDERS = {"api_version": "azure", "region": "bedrock"}
"""Settings that one provider knows."""

_DSPY_NAMES = {"api": "model_type", "region": "aws_region_name"}
"""Settings that DSPy or LiteLLM calls otherwise."""

_VERSIONED = ("anthropic/", "ollama/", "ollama_chat/")
"""Models whose servers have their API under `/v1`, which people leave out of the address."""

_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")


def _proxy(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("a proxy is http://HOST:PORT")
    if parts.username or parts.password:
        raise ValueError("the file holds no log-in; set HTTPS_PROXY instead")
    return address


def _address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address is http://HOST/PATH or https://HOST/PATH")
    if parts.username or parts.password:
        raise ValueError("an address holds no log-in; send it as a header")
    return address


class NamedModel(BaseModel):
    """The settings of a provider's model. Those left out are the provider's.

    Attributes:
        model: the name as DSPy takes it, such as `openai/gpt-4o-mini`.
        api: the API of the provider; `responses` is OpenAI's newer one.
        api_base: the address of a server of your own.
        api_version: of Azure's API; without `api_base` the newest.
        region: of Bedrock.
        api_key_env: the environment variable that holds the key; the file never holds it.
        headers: the environment variable with the value of each header. Such requests go through LiteLLM.
        proxy: of all requests of the process, to whichever server; loopback addresses excepted.
        timeout: seconds without an answer until a request counts as lost. Replies are not streamed, so the
            whole reply must begin to arrive within them.
        connect_timeout: seconds until a connection must be there.
        total_timeout: seconds that one request may take with all of its reply. Requests through LiteLLM have
            no such limit.
        num_retries: how often a lost request is sent again. A refusal for too many requests does not count.
        retry_time: seconds from a request's first try after which it is not sent again; 600 if not set.
        requests_per_minute, tokens_per_minute: the provider's limits, which all workers share.
        parallel: the most requests in flight.
        input_price, output_price: dollars per million tokens.
        cached_input_price, cache_write_price: the same of prompt tokens that the provider reads from its own
            cache and writes there; without them such tokens cost as much as others.
        context_window: tokens of prompt and reply together.
        prompt_cache: whether prompts for Claude are marked for the provider's cache; they are unless it is
            false. Other providers need no markers.
        tool_calls: whether it has native tool calls, where lists of models do not know or are wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    stop: Annotated[
        tuple[str, ...] | None, BeforeValidator(lambda said: (said,) if isinstance(said, str) else said)
    ] = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    api: Literal["chat", "responses"] | None = None
    api_base: Annotated[str, AfterValidator(_address)] | None = None
    api_version: str | None = Field(default=None, pattern=r"^[\w.-]+$")
    region: str | None = Field(default=None, pattern="^[a-z0-9-]+$")
    api_key_env: str | None = None
    headers: dict[str, str] | None = None
    proxy: Annotated[str, AfterValidator(_proxy)] | None = None
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    connect_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    num_retries: int | None = Field(default=None, ge=0, le=100)
    input_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cached_input_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    context_window: int | None = Field(default=None, ge=1)
    prompt_cache: bool | None = None
    requests_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    tokens_per_minute: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    parallel: int | None = Field(default=None, ge=1)
    retry_time: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    total_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    tool_calls: bool | None = None

    @model_validator(mode="after")
    def _suits(self) -> Self:
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("a price is an input_price and an output_price")
        if self.input_price is None and (self.cached_input_price, self.cache_write_price) != (None, None):
            raise ValueError("prices of cached tokens need an input_price and an output_price")
        if self.context_window and self.max_tokens and self.max_tokens > self.context_window:
            raise ValueError("max_tokens is larger than the context_window")
        for setting, provider in _OF_PROVIDERS.items():
            if getattr(self, setting) is not None and not self.model.startswith(f"{provider}/"):
                raise ValueError(f"{setting} is a setting of {provider}/ models only")
        return self

    @property
    def price(self) -> Price | None:
        if self.input_price is None or self.output_price is None:
            return None
        return per_million(
            self.input_price, self.output_price, self.cached_input_price, self.cache_write_price
        )

    def open(self, name: str) -> dspy.LM:
        """The model.

        Args:
            name: by which it was asked for, for errors.

        Raises:
            InputError: there is no such provider, a variable is not set, or DSPy refuses the settings.
        """
        from worksmith.models.providers import check_provider

        check_provider(self.model)
        names = {"model", "api_key_env", "headers", "proxy", "timeout", "connect_timeout"}
        names |= {"input_price", "output_price", "cached_input_price", "cache_write_price", "context_window"}
        names.add("tool_calls")
        limits = {field.name for field in fields(WireSettings)}
        wire = WireSettings(**self.model_dump(include=limits, exclude_none=True))
        said: dict[str, Any] = self.model_dump(exclude=names | limits, exclude_none=True)
        if self.api_base and urlsplit(self.api_base).path in ("", "/") and self.model.startswith(_VERSIONED):
            said["api_base"] = f"{self.api_base.rstrip('/')}/v1"
        given = {_DSPY_NAMES.get(setting, setting): value for setting, value in said.items()}
        if self.api_key_env is not None:
            given["api_key"] = _variable(self.api_key_env, name, "the key of the model")
        if self.headers:
            given["extra_headers"] = {
                header: _variable(variable, name, f"the header {header}")
                for header, variable in self.headers.items()
            }
        if self.proxy is not None:
            _use_proxy(self.proxy)
        if self.price is not None:
            _PRICES.set({**_PRICES.get(), self.model: self.price})
        from dspy.clients.backend_selection import select_backend
        from dspy.utils.exceptions import LMConfigurationError

        from evals.lm.provider_model import ProviderModel

        if self.connect_timeout is not None:
            import httpx

            given["timeout"] = httpx.Timeout(self.timeout or _READ_TIMEOUT, connect=self.connect_timeout)
        elif self.timeout is not None:
            given["timeout"] = self.timeout
        try:
            lm = ProviderModel(self.model, wire=wire, tool_calls=self.tool_calls, **given)
        except (LMConfigurationError, ValueError) as error:
            raise InputError(str(error), where=name, hint="change the model's settings") from error
        if self.api == "responses" and not select_backend(lm).native:
            raise InputError(
                f"the Responses API of {self.model} cannot be asked with these settings",
                where=name,
                hint="it is asked by DSPy's own client: openai/ models without headers and OPENAI_BASE_URL, "
                "azure/ models without headers, api_base and api_version",
            )
        return lm


_NAMED: ContextVar[Mapping[str, NamedModel]] = ContextVar("named models", default={})  # noqa: B039 (read only)
_PRICES: ContextVar[Mapping[str, Price]] = ContextVar("prices of models", default={})  # noqa: B039 (read only)


def read_models(sections: Mapping[str, Mapping[str, Any]], *, where: str) -> dict[str, NamedModel]:
    """The models of a project file.

    Raises:
        InputError: a setting is unknown or wrong, a name looks like that of a provider's model or holds a
            space, or two models of one provider's name have different prices.
    """
    found: dict[str, NamedModel] = {}
    for name, values in sections.items():
        place = f"{where}: models.{name}"
        if "/" in name or ":" in name:
            raise InputError(
                f"{name!r} looks like a provider's model", where=place, hint="choose a plain name"
            )
        if not name or any(character.isspace() or character == "," for character in name):
            raise InputError(f"{name!r} is no name of a model", where=place, hint="choose one word")
        found[name] = _checked(values, place)
        priced = [each for each in found.values() if each.model == found[name].model and each.price]
        if len({each.price for each in priced}) > 1:
            raise InputError(f"{found[name].model} has two prices", where=place, hint="give it one")
    return found


def use_models(models: Mapping[str, NamedModel]) -> None:
    """Let names of models mean these from now on, in this context; no model has a price of its own yet."""
    _NAMED.set(models)
    _PRICES.set({})


def model_names() -> tuple[str, ...]:
    """The names in use."""
    return tuple(_NAMED.get())


def prices_of_models() -> Mapping[str, Price]:
    """The prices that models were opened with in this context, by the models' full names."""
    return _PRICES.get()


def with_options(name: str, options: Sequence[str]) -> str:
    """The name of a model with settings, as `parted` takes it apart: `openai/gpt-4o-mini temperature=0.2`."""
    return " ".join([name, *map(shlex.quote, options)])


def parted(name: str) -> tuple[str, Mapping[str, str]]:
    """The name of a model and the settings given with it, such as `{"temperature": "0.2"}`.

    Raises:
        InputError: they are not of the form NAME=VALUE, each once.
    """
    try:
        model, *said = shlex.split(name) or [""]
    except ValueError as error:
        raise InputError(f"not the name of a model with settings: {error}", where=name) from error
    options: dict[str, str] = {}
    for each in said:
        option, equals, value = each.partition("=")
        if not equals or option in options:
            raise InputError(
                f"{option!r} is given twice" if equals else f"{each!r} is no setting of a model",
                where=model,
                hint="e.g. temperature=0.2",
            )
        options[option] = value
    return model, options


def settings_of(model: str, options: Mapping[str, str] = {}) -> NamedModel:
    """The settings of a model: those of the project file if it is named there, and the given ones.

    Args:
        options: by name; `headers.NAME` is one of the headers.

    Raises:
        InputError: a setting is unknown or wrong.
    """
    named = _NAMED.get().get(model)
    if named is not None and not options:
        return named
    values: dict[str, Any] = {"model": model} if named is None else named.model_dump(exclude_none=True)
    for option, value in options.items():
        setting, _, header = option.partition(".")
        if setting == "model" or (header and setting != "headers"):
            raise InputError(f"no setting {option!r} of a model", where=model, hint=_near(option))
        values[setting] = {**values.get("headers", {}), header: value} if header else value
    return _checked(values, model)


def is_named(model: str) -> bool:
    """Whether the project file names a model so."""
    return model in _NAMED.get()


def _checked(values: Mapping[str, Any], where: str) -> NamedModel:
    for setting in values:
        if setting not in NamedModel.model_fields:
            raise InputError(f"no setting {setting!r} of a model", where=where, hint=_near(setting))
    return validated(values, NamedModel, "the settings of a model", where=where)


def _near(setting: str) -> str:
    known = [name for name in NamedModel.model_fields if name != "model"]
    near = difflib.get_close_matches(setting, known, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


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
