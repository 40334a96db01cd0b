"""Tool calls that a model writes as text, though it was given tools.

Small models do so, and servers whose parser does not know the model's own form: JSON objects with a name and
arguments, alone, in a list, in a code block, or between `<tool_call>` tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_FENCED = re.compile(r"^```\w*\s*\n(.*?)\n?```$", re.DOTALL)
_NAMES = ("name", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def written_calls(text: str, known: Collection[str]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a text that consists of calls; none if it is anything else.

    Args:
        known: the names of the tools on offer; an object with another name is no call.
    """
    blocks = _TAGGED.findall(text) or [text]
    found: list[tuple[str, dict[str, Any]]] = []
    for block in blocks:
        fenced = _FENCED.match(block.strip())
        value = _json(fenced[1] if fenced else block)
        for each in value if isinstance(value, list) else [value]:
            call = _call(each, known)
            if call is None:
                return []
            found.append(call)
    return found


def _call(value: Any, known: Collection[str]) -> tuple[str, dict[str, Any]] | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAMES if key in value), None)
    arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        arguments = _json(arguments)
    if not isinstance(name, str) or name not in known or not isinstance(arguments, dict):
        return None
    return name, arguments


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
