"""How many tokens a demonstration takes, by a cheap estimate that is the same everywhere.

One token for every four characters of its fields as JSON, rounded up. A tokenizer would give another number
for each model; for English text and JSON this one is near the mean, and needs no download.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

_CHARACTERS: Final = 4
_UNSEEN: Final = frozenset({"augmented", "records", "redacted", "solves"})
"""Fields of an example that no prompt shows."""

Item = TypeVar("Item")


def demo_tokens(fields: Mapping[str, Any]) -> int:
    """The estimate for one predictor's example."""
    shown = {name: value for name, value in fields.items() if name not in _UNSEEN}
    return -(-len(json.dumps(shown, ensure_ascii=False, default=str)) // _CHARACTERS)


def fitting(items: Iterable[tuple[Item, Mapping[str, int]]], limit: int | None) -> list[Item]:
    """Those that fit one after another; what does not fit is left out, and a smaller one may still come.

    Args:
        items: each with the tokens it takes in the prompts of each predictor.
        limit: of each predictor's prompt; None for no limit.
    """
    taken: list[Item] = []
    used: dict[str, int] = {}
    for item, sizes in items:
        if limit is None or all(used.get(name, 0) + size <= limit for name, size in sizes.items()):
            taken.append(item)
            for name, size in sizes.items():
                used[name] = used.get(name, 0) + size
    return taken
