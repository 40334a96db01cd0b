"""The settings of a provider's model."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from worksmith.evals.lm.named import GGUF
from worksmith.evals.lm.prices import Price, per_million

_OF_PROVIDERS = {"api_version": "azure", "region": "bedrock"}
"""Settings that one provider knows."""


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
        model: the name as DSPy takes it, such as `openai/gpt-4o-mini`, or that of a model on this machine.
            In worksmith.toml `file` can stand in its place, the path of a GGUF file.
        api: the API of the provider; `responses` is OpenAI's newer one.
        api_base: the address of your own server.
        api_version: of Azure's API; without `api_base` the newest.
        region: of Bedrock.
        api_key_env: the environment variable that holds the key; the file never holds it.
        headers: the environment variable with the value of each header. Such requests go through LiteLLM.
        proxy: of all requests of the process, to any server; loopback addresses excepted.
        timeout: seconds without an answer until a request counts as lost. Replies are not streamed, so the
            whole reply must begin to arrive within them.
        connect_timeout: seconds until a connection must be there.
        total_timeout: seconds that one request may take with all of its reply; 600, or `timeout` if that is
            longer.
        num_retries: how often a lost request is sent again. A refusal for too many requests does not count.
        retry_time: seconds from a request's first try after which it is not sent again; 600 if not set.
        requests_per_minute, tokens_per_minute: the provider's limits, which all workers share.
        parallel: the most requests in flight.
        input_price, output_price: dollars per million tokens.
        cached_input_price, cache_write_price: the same of prompt tokens that the provider reads from its own
            cache and writes there; without them such tokens cost as much as others.
        context_window: tokens of prompt and reply together; of a GGUF file at most those that it names.
        precision: of a GGUF file; `float32` is exact, in `bfloat16` a reply can change with the requests
            that it is batched with.
        prompt_cache: whether prompts for Claude are marked for the provider's cache; they are unless it is
            false. Other providers need no markers.
        constrained: whether replies are held to the tools on offer. `auto`: where a model in this process can
            be; `json_schema`: a server gets the schema of the reply as `response_format`, in the JSON forms
            of prompts; `off`: never.
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
    constrained: Literal["auto", "json_schema", "off"] | None = None
    tool_calls: bool | None = None
    precision: Literal["float32", "bfloat16"] | None = None

    @model_validator(mode="after")
    def _suits(self) -> Self:
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("a price is an input_price and an output_price")
        if self.input_price is None and (self.cached_input_price, self.cache_write_price) != (None, None):
            raise ValueError("prices of cached tokens need an input_price and an output_price")
        if self.context_window and self.max_tokens and self.max_tokens > self.context_window:
            raise ValueError("max_tokens is larger than the context_window")
        if self.precision is not None and "/" in self.model and not self.model.startswith(GGUF):
            raise ValueError("precision is a setting of GGUF files only")
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
