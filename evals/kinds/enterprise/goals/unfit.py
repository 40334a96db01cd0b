"""Draws and plans that make no task."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tools.errors import WorksmithError

_T = TypeVar("_T")
_P = ParamSpec("_P")


class UnfitError(WorksmithError):
    """The draw or the plan does not come out as the goal intends; another draw has to be made."""

    def __init__(self, message: str = "an unlucky draw") -> None:
        super().__init__(message)


def need(value: _T | None) -> _T:
    """Return a value that a task cannot do without.

    Raises:
        UnfitError: it is None.
    """
    if value is None:
        raise UnfitError
    return value


def attempt(draw: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
    """Call a function that may raise `UnfitError`; return None where it does."""
    try:
        return draw(*args, **kwargs)
    except UnfitError:
        return None
