"""Prices of models in dollars, from the user's table, else from LiteLLM's list.

A table is TOML, in dollars per million tokens:

    ["openai/gpt-4o-mini"]
    input = 0.15
    output = 0.6
    cached_input = 0.075

`cached_input` is the price of prompt tokens that a provider reads from its own cache, `cache_write` of those
that it writes there; both cost as much as `input` unless the table or the list has another price. Reports
price used tokens, which do not depend on a cache of replies; budgets count paid ones. Forecasts expect
nothing of a provider's cache.
"""

from __future__ import annotations

import importlib.util
import json
import math
import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_file

_LIST = "model_prices_and_context_window_backup.json"

_FREE = ("local/", "replay/", "scripted/")
"""Prefixes of models that run here and cost nothing."""

_KEYS = ("input", "output", "cached_input", "cache_write")
"""Of a table, in the order of the prices of a `Price`."""

_COSTS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)
"""Of LiteLLM's list, in the same order."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Dollars per token.

    Attributes:
        cached: of prompt tokens in the provider's cache; None for the price of others.
        cache_write: of prompt tokens that are written to it; None for the same.
    """

    prompt: float
    completion: float
    cached: float | None = None
    cache_write: float | None = None

    def of(
        self,
        prompt_tokens: float,
        completion_tokens: float,
        cached_tokens: float = 0,
        cache_write_tokens: float = 0,
    ) -> float:
        """The price of this many tokens; the last two numbers are parts of the first."""
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.cache_write is None else self.cache_write
        fresh = prompt_tokens - cached_tokens - cache_write_tokens
        prompt = self.prompt * fresh + cached * cached_tokens + written * cache_write_tokens
        return prompt + self.completion * completion_tokens


def per_million(
    prompt: float, completion: float, cached: float | None = None, cache_write: float | None = None
) -> Price:
    prices = (None if price is None else price / _MILLION for price in (cached, cache_write))
    return Price(prompt / _MILLION, completion / _MILLION, *prices)


@dataclass(frozen=True)
class Prices:
    """Prices by model: the user's before the list's.

    Attributes:
        own: the user's.
        source: the file of the user's prices.
    """

    own: Mapping[str, Price] = field(default_factory=dict)
    source: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """The user's table in `path`.

        Raises:
            InputError: the file cannot be read, or is not such a table; the message names the model.
        """
        try:
            data = tomllib.loads(read_file(path, "the prices").decode())
        except ValueError as error:
            raise InputError("not a table of prices", where=str(path), hint=str(error)) from error
        # A project file has prices in a section.
        table = data["prices"] if isinstance(data.get("prices"), dict) else data
        return cls({model: _price(entry, f"{path}: {model}") for model, entry in table.items()}, str(path))

    def price(self, model: str) -> Price | None:
        """The price of a model; None if unknown; 0 for models that run here."""
        # Some models are known under their provider and some are not.
        short = model.partition("/")[2]
        own = self.own.get(model) or self.own.get(short)
        if own is not None:
            return own
        if free(model):
            return Price(0.0, 0.0)
        entry = listed(model)
        prompt, completion, *cache = map(entry.get, _COSTS)
        if not prompt or completion is None:
            return None
        # A 0 there means that the list lacks the price.
        return Price(float(prompt), float(completion), *(float(cost) if cost else None for cost in cache))


def free(model: str) -> bool:
    """Whether a model, by its full name, runs here and costs nothing."""
    return model.startswith(_FREE)


_IN_USE: ContextVar[Prices] = ContextVar("prices", default=Prices())  # noqa: B039 (frozen)


def prices_in_use() -> Prices:
    return _IN_USE.get()


def use_prices(prices: Prices) -> None:
    """Use `prices` in this context from now on."""
    _IN_USE.set(prices)


def dollars(
    model: str,
    prompt_tokens: float,
    completion_tokens: float,
    cached_tokens: float = 0,
    cache_write_tokens: float = 0,
) -> float | None:
    """The price of this many tokens by the prices in use, see `Price.of`; None if unknown."""
    price = prices_in_use().price(model)
    if price is None:
        return None
    return price.of(prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens)


def listed(model: str) -> Mapping[str, Any]:
    """The entry of a model in LiteLLM's list; empty if unlisted."""
    return price_list().get(model) or price_list().get(model.partition("/")[2]) or {}


@cache
def price_list() -> dict[str, dict[str, Any]]:
    """LiteLLM's entries by model, from its file: the import takes seconds. Empty without LiteLLM."""
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    try:
        entries: dict[str, dict[str, Any]] = json.loads(
            Path(found.origin).with_name(_LIST).read_text(encoding="utf-8")
        )
    except (OSError, ValueError):
        return {}
    return entries


def _price(entry: Any, where: str) -> Price:
    if not isinstance(entry, dict) or not {"input", "output"} <= set(entry) <= set(_KEYS):
        raise InputError(
            "a price has an input and an output, perhaps cached_input and cache_write, and nothing else",
            where=where,
            hint='["provider/model"] with input = and output = in dollars per million tokens',
        )
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name} is not a number: {value!r}", where=where)
        if not math.isfinite(value) or value < 0:
            raise InputError(f"{name} is not a price: {value!r}", where=where)
    return per_million(entry["input"], entry["output"], entry.get("cached_input"), entry.get("cache_write"))
