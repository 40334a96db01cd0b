"""Values of fields as data and as text, in the form in which DSPy's prompts show them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from worksmith.tools.canonical import canonical, path
from worksmith.tools.files.unicode import writable
from worksmith.tools.numbers import listed
from worksmith.tools.seeding import digest

_SHORT = 64
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def plain(value: Any, unknown: Callable[[Any], Any] | None = None) -> Any:
    """A value as JSON-able data.

    Args:
        unknown: gives the data of what pydantic does not know; default is its text, as in DSPy's prompts.
    """
    try:
        return to_jsonable_python(value, fallback=unknown or _said)
    except (ValueError, TypeError):  # invalid UTF-8, or an invalid time
        return _said(value)


def text_of(value: Any) -> str:
    """The text of a value; of a text the text itself."""
    return _text(plain(value))


def texts_of(fields: Mapping[str, Any], *, exact: bool = False) -> str:
    """The text of fields; of a single one its text alone.

    Args:
        exact: whether the texts of two values that differ do so, too. A long array then stands by its digest.
    """
    texts = {name: _text(plain(value, _named if exact else None)) for name, value in fields.items()}
    if len(texts) == 1:
        return writable(next(iter(texts.values())))
    return writable("\n".join(f"{name}: {text}" for name, text in texts.items()))


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False) if isinstance(data, list | dict) else str(data)


def _said(value: Any) -> str:
    """The text of an object, with its content in place of its address."""
    return _ADDRESS.sub(lambda _: f" of {_digest(value)}", str(value))


def _named(value: Any) -> Any:
    """An example, a number or a short array by its content; anything else by its digest."""
    if hasattr(value, "toDict"):
        return value.toDict()
    if hasattr(value, "dtype") and hasattr(value, "tolist") and math.prod(value.shape) <= _SHORT:
        return listed(value)
    return f"{path(type(value))} of {_digest(value)}"


def _digest(value: Any) -> str:
    return digest(canonical(value, path))
