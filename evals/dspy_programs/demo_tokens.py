"""Token estimates of demonstrations: one for every four characters of the fields as JSON, rounded up.

The estimate is near the mean of tokenizers for English text and JSON, and needs no download.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from worksmith.evals.dspy_programs.demo_format import AUGMENTED, without_notes
from worksmith.evals.dspy_programs.field_texts import plain

_CHARACTERS: Final = 4
Item = TypeVar("Item")


def demo_tokens(fields: Mapping[str, Any]) -> int:
    """The estimated tokens of one predictor's example.

    Args:
        fields: the fields of the example; notes, which no prompt shows, are not counted, nor is DSPy's mark
            of a bootstrapped example.
    """
    shown = {name: value for name, value in without_notes(fields).items() if (name, value) != AUGMENTED}
    return -(-len(json.dumps(plain(shown), ensure_ascii=False)) // _CHARACTERS)


def fitting(items: Iterable[tuple[Item, Mapping[str, int]]], limit: int | None) -> list[Item]:
    """The items that fit within a limit of tokens.

    Items are tried in order. After an item that does not fit, a smaller one may still fit.

    Args:
        items: each item with its tokens by name of the predictor.
        limit: the most tokens for each predictor; None for no limit.
    """
    taken: list[Item] = []
    used: dict[str, int] = {}
    for item, sizes in items:
        if limit is None or all(used.get(name, 0) + size <= limit for name, size in sizes.items()):
            taken.append(item)
            for name, size in sizes.items():
                used[name] = used.get(name, 0) + size
    return taken
