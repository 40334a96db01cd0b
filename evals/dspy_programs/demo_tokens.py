"""Estimated tokens of a demonstration: one for every four characters of its fields as JSON, rounded up.

The estimate is near the mean of tokenizers for English text and JSON, and needs no download.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from evals.dspy_programs.demo_format import NOTES

_CHARACTERS: Final = 4
_UNSEEN: Final = NOTES | {"augmented"}
"""Fields of an example that no prompt shows."""

Item = TypeVar("Item")


def demo_tokens(fields: Mapping[str, Any]) -> int:
    """The estimate for one predictor's example."""
    shown = {name: value for name, value in fields.items() if name not in _UNSEEN}
    return -(-len(json.dumps(shown, ensure_ascii=False, default=str)) // _CHARACTERS)


def fitting(items: Iterable[tuple[Item, Mapping[str, int]]], limit: int | None) -> list[Item]:
    """The items that fit, tried in order; after one that does not fit, a smaller one may.

    Args:
        items: each with its tokens in the prompt of each predictor.
        limit: of tokens in each predictor's prompt; None for no limit.
    """
    taken: list[Item] = []
    used: dict[str, int] = {}
    for item, sizes in items:
        if limit is None or all(used.get(name, 0) + size <= limit for name, size in sizes.items()):
            taken.append(item)
            for name, size in sizes.items():
                used[name] = used.get(name, 0) + size
    return taken
