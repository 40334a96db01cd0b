"""Texts that can be written: no file, log, database or request holds half of a surrogate pair."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def writable(text: str) -> str:
    """`text` with a question mark for each half of a surrogate pair."""
    return text.encode(errors="replace").decode()


def is_writable(value: Any) -> bool:
    """Whether no text in plain data has half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def writable_data(value: Any) -> Any:
    """Plain data in which all texts are `writable`."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, Mapping):
        return {writable_data(key): writable_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(writable_data(item) for item in value)
    return value
