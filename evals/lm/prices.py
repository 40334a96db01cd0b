"""Prices of models in dollars, from the user's table, else from LiteLLM's list.

A table is TOML, in dollars per million tokens:

    ["openai/gpt-4o-mini"]
    input = 0.15
    output = 0.6

Reports price used tokens, which do not depend on a cache; budgets count paid ones.
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

from tools.errors import InputError
from tools.files.json_files import read_file

_LIST = "model_prices_and_context_window_backup.json"

_FREE = ("local/", "replay/", "scripted/")
"""Prefixes of models that run here and cost nothing."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Dollars per token."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The price of so many tokens."""
        return self.prompt * prompt_tokens + self.completion * completion_tokens


def per_million(prompt: float, completion: float) -> Price:
    """The price from dollars per million tokens."""
    return Price(prompt / _MILLION, completion / _MILLION)


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
            InputError: the file cannot be read, or is no such table; names the wrong model.
        """
        try:
            data = tomllib.loads(read_file(path, "the prices").decode())
        except ValueError as error:
            raise InputError("not a table of prices", where=str(path), hint=str(error)) from error
        # A project file has prices in a section.
        table = data["prices"] if isinstance(data.get("prices"), dict) else data
        return cls({model: _price(entry, f"{path}: {model}") for model, entry in table.items()}, str(path))

    def price(self, model: str) -> Price | None:
        """The price of a model; None if unknown; 0 for models that run here.

        List prices leave out discounts for cached prompts, so they are upper bounds.
        """
        # Some models are known under their provider and some are not.
        short = model.partition("/")[2]
        own = self.own.get(model) or self.own.get(short)
        if own is not None:
            return own
        if free(model):
            return Price(0.0, 0.0)
        entry = price_list().get(model) or price_list().get(short) or {}
        prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        return None if not prompt or completion is None else Price(float(prompt), float(completion))


def free(model: str) -> bool:
    """Whether a model, by its full name, runs here and costs nothing."""
    return model.startswith(_FREE)


_IN_USE: ContextVar[Prices] = ContextVar("prices", default=Prices())  # noqa: B039 (frozen)


def prices_in_use() -> Prices:
    return _IN_USE.get()


def use_prices(prices: Prices) -> None:
    """Use `prices` in this context from now on."""
    _IN_USE.set(prices)


def dollars(model: str, prompt_tokens: float, completion_tokens: float) -> float | None:
    """The price of so many tokens by the prices in use; None if unknown."""
    price = prices_in_use().price(model)
    return None if price is None else price.of(prompt_tokens, completion_tokens)


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
    names = ("input", "output")
    if not isinstance(entry, dict) or set(entry) != set(names):
        raise InputError(
            "a price has an input and an output, and nothing else",
            where=where,
            hint='["provider/model"] with input = and output = in dollars per million tokens',
        )
    for name in names:
        value = entry[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name} is no number: {value!r}", where=where)
        if not math.isfinite(value) or value < 0:
            raise InputError(f"{name} is no price: {value!r}", where=where)
    return per_million(entry["input"], entry["output"])
