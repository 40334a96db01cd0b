"""Objects of modules that are imported when they are used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any


def function_at(address: str) -> Callable[..., Any]:
    """The function at an address `module:name`. Its module is imported when it is called."""
    return lambda *args, **kwargs: resolve_name(address)(*args, **kwargs)


def value_at(address: str) -> Callable[[], Any]:
    """A function without arguments that imports and returns the object at an address `module:name`."""
    return cache(lambda: resolve_name(address))
