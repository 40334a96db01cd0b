"""Whether a model makes its calls as text or as its provider's own tool calls."""

from __future__ import annotations

from typing import Any, Literal, get_args

from tools.errors import InputError

Calls = Literal["auto", "native", "text"]
"""How the calls of a strategy with native calls are made; other strategies write theirs as text anyway.

With `auto` natively where the model is known to have tool calls. With `native` also where that is not known,
as with most servers of one's own; an engine object that does not say that it takes tools gets text even then.
"""


def calls_called(name: str) -> Calls:
    """The way called `name`.

    Raises:
        InputError: if there is none.
    """
    ways: tuple[Calls, ...] = get_args(Calls)
    for way in ways:
        if way == name:
            return way
    raise InputError(f"no way {name!r} to make calls", where="--calls", hint=f"there are {', '.join(ways)}")


def native_calls(lm: Any, calls: Calls) -> bool:
    """Whether `lm` is given tools and answers with tool calls."""
    if calls == "text" or lm is None:
        return False
    if calls == "native" and _hosted(lm):
        return True
    return bool(getattr(lm, "supports_function_calling", False))


def _hosted(lm: Any) -> bool:
    """Whether somebody's server answers; what is recorded counts as what it is a recording of."""
    engine = getattr(lm, "engine", "auto")
    recorded = getattr(engine, "recorded", None)
    return _hosted(recorded) if recorded is not None else isinstance(engine, str)
