"""Values as data for content addresses: their type and all of their content, and nothing that changes.

Numbers of numpy and torch are the numbers of Python that they equal. Any other object is what `pickle` takes
apart: its class, arguments and attributes. So a lambda, a generator, a lock or an open file has no data.
"""

from __future__ import annotations

import inspect
import json
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final, cast

from pydantic import BaseModel

from worksmith.tools.numbers import scalar
from worksmith.tools.seeding import digest_bytes

_PLAIN: Final = frozenset({type(None), bool, int, float, str})
_TYPE: Final = "\0type"
_NAMED: Final[tuple[Any, ...]] = (type, FunctionType)
_DEEPEST: Final = 50


class NoContentError(ValueError):
    """A value has no content that stays the same, so it has no content address."""


def canonical(value: Any, service: Callable[[Any], Any] | None = None) -> Any:
    """A value as JSON-able data.

    Args:
        service: gives the data of an object that does something rather than hold something, such as a client
            or a lock. None takes clients apart as well and refuses locks.

    Raises:
        NoContentError: the value, or something in it, has no content that stays the same.
    """
    return _Canonical(service)(value)


class _Canonical:
    def __init__(self, service: Callable[[Any], Any] | None) -> None:
        self._service = service
        self._within: set[int] = set()

    def __call__(self, value: Any) -> Any:
        if type(value) in _PLAIN or type(value := scalar(value)) in _PLAIN:
            return value
        if id(value) in self._within:
            return self._odd(value, "contains itself")
        if len(self._within) >= _DEEPEST:
            return self._odd(value, "is nested too deep")
        self._within.add(id(value))
        try:
            return self._data(value)
        finally:
            self._within.discard(id(value))

    def _data(self, value: Any) -> Any:
        if type(value) is list:
            return self._each(value)
        if type(value) is dict and all(type(key) is str for key in value):
            return {key: self(item) for key, item in value.copy().items()}
        if isinstance(value, bytes | bytearray | memoryview):
            return _typed(value, digest_bytes(bytes(value), 64))
        if isinstance(value, tuple):
            return _typed(value, self._each(value))
        if isinstance(value, set | frozenset):
            return _typed(value, _sorted(self._each(value)))
        if type(value) is dict:
            return _typed(value, _sorted(self._each(value.items())))
        if isinstance(value, _NAMED):
            if (source := _source(value)) is None:
                return self._odd(value, "has no name to import it by")
            return _typed(value, source)
        if self._service is not None and _serves(cast(Hashable, type(value))):
            return self._service(value)
        if isinstance(value, BaseModel):
            fields = {name: getattr(value, name) for name in type(value).model_fields}
            return _typed(value, [self(fields), self(value.model_extra), self(value.__pydantic_private__)])
        if hasattr(value, "dtype") and getattr(value, "shape", None) == ():  # its bytes have random padding
            return _typed(value, [str(value.dtype), repr(value)])
        if hasattr(value, "detach") and hasattr(value, "tolist"):  # a pickled tensor is never twice the same
            return _typed(value, [str(value.dtype), list(value.shape), value.tolist()])
        return self._taken_apart(value)

    def _taken_apart(self, value: Any) -> Any:
        try:
            parts = value.__reduce_ex__(2)
        except Exception:
            return self._odd(value, "has no content that stays the same")
        if isinstance(parts, str):
            return _typed(value, parts)
        made, given, state, items, pairs = (*parts, None, None, None)[:5]
        bare = path(made) == "copyreg.__newobj__" and len(given) == 1
        if bare and not state and items is None and pairs is None and _is_itself(type(value)):
            return self._odd(value, "has no content")
        arguments = [path(each) if isinstance(each, type) else self(each) for each in given]
        attributes = [self(_lasting(value, each)) for each in (state if type(state) is tuple else [state])]
        entries = [self._each(items or ()), self._each(pairs or ())]
        return _typed(value, [path(made), arguments, attributes, *entries])

    def _each(self, values: Iterable[Any]) -> list[Any]:
        return [self(each) for each in values]

    def _odd(self, value: Any, problem: str) -> Any:
        if self._service is not None:
            return self._service(value)
        raise NoContentError(f"a value of the type {path(type(value))} {problem}")


def path(thing: Any) -> str:
    """The path of a function or class, or of the class of an object."""
    named = thing if hasattr(thing, "__qualname__") and hasattr(thing, "__module__") else type(thing)
    return f"{named.__module__}.{named.__qualname__}"


def _typed(value: Any, content: Any) -> Any:
    return {_TYPE: path(value), "": content}


def _sorted(values: list[Any]) -> list[Any]:
    return sorted(values, key=lambda each: json.dumps(each, sort_keys=True))


def _lasting(value: Any, state: Any) -> Any:
    """The attributes of an object without those that it works out when it is first asked."""
    if not isinstance(state, Mapping):
        return state
    kind = type(value)
    return {
        name: each
        for name, each in state.items()
        if not (isinstance(name, str) and isinstance(getattr(kind, name, None), cached_property))
    }


@lru_cache(256)
def _source(defined: Any) -> str | None:
    """The source of a class or function, empty if it is not in Python; None if it cannot be imported."""
    found: Any = sys.modules.get(defined.__module__)
    for name in defined.__qualname__.split("."):
        found = getattr(found, name, None)
    if found is not defined:
        return None
    try:
        return inspect.getsource(defined)
    except (OSError, TypeError):
        return ""


def _is_itself(kind: Any) -> bool:
    """Whether an object of a class is equal to no other."""
    return kind.__eq__ is object.__eq__


@cache
def _serves(kind: type) -> bool:
    """Whether an object of a class is equal to no other, and the class is of an installed package."""
    top = kind.__module__.partition(".")[0]
    if not _is_itself(kind) or top == "__main__":
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    installed = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return top == "worksmith" or file is None or any(map(Path(file).is_relative_to, installed))
