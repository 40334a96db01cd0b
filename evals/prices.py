"""What model calls cost in dollars, by the price list that comes with the installed LiteLLM."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

_LIST = "model_prices_and_context_window_backup.json"


def dollars(model: str, prompt_tokens: float, completion_tokens: float) -> float | None:
    """The price of so many tokens; None where the list does not know the model, or knows no price.

    List prices: discounts for cached prompts are left out, so that it is at most so much.
    """
    prices = price_list()
    # Some models are listed under their provider and some are not.
    entry = prices.get(model) or prices.get(model.partition("/")[2]) or {}
    prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not prompt or completion is None:
        return None
    return float(prompt) * prompt_tokens + float(completion) * completion_tokens


@cache
def price_list() -> dict[str, dict[str, Any]]:
    """Entries by model; empty where there is no list. Read from its file: LiteLLM takes seconds to import."""
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
