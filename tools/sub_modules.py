"""The modules of a program."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

_WITHOUT_MODULES = frozenset({"history", "demos", "traces", "train"})
"""Attributes of modules that hold replies and examples. Of a program in use they are long."""


def named_sub_modules(program: Any) -> Iterator[tuple[str, Any]]:
    """The modules of a DSPy module, itself first, with the names that DSPy's own method gives them.

    That method also walks through all replies and examples, which takes longer with each call of the program.
    """
    seen = {id(program)}
    waiting: deque[tuple[str, Any]] = deque([("self", program)])
    while waiting:
        name, item = waiting.popleft()
        if hasattr(item, "named_sub_modules") and not isinstance(item, type):
            yield name, item
            parts = [(f".{key}", each) for key, each in vars(item).items() if key not in _WITHOUT_MODULES]
        elif isinstance(item, list | tuple):
            parts = [(f"[{place}]", each) for place, each in enumerate(item)]
        elif isinstance(item, dict):
            parts = [(f"[{key}]", each) for key, each in item.items()]
        else:
            continue
        for end, part in parts:
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append((name + end, part))
