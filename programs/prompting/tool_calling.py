"""Whether a model makes its calls as text or as its provider's own tool calls."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from tools.errors import InputError

if TYPE_CHECKING:
    from programs.strategies import Strategy

Calls = Literal["auto", "native", "text"]
"""How the calls of a strategy with native calls are made; other strategies write theirs as text anyway.

With `auto` natively where the model is known to have tool calls. With `native` also where that is not known,
as with most local servers; an engine object that does not say that it takes tools gets text even then.
"""


def check_calls(name: str, *strategies: Strategy) -> Calls:
    """The way called `name`, for programs of these strategies.

    Raises:
        InputError: there is none, or native calls are asked for and no strategy makes such.
    """
    ways: tuple[Calls, ...] = get_args(Calls)
    way = next((way for way in ways if way == name), None)
    if way is None:
        raise InputError(
            f"no way {name!r} to make calls", where="--calls", hint=f"there are {', '.join(ways)}"
        )
    if way == "native" and not any(strategy.calls == "native" for strategy in strategies):
        raise InputError(
            f"{', '.join(strategy.name for strategy in strategies)}: calls are written as text",
            where="--calls native",
            hint="use the strategy function_calling",
        )
    return way


def native_calls(lm: Any, calls: Calls) -> bool:
    """Whether `lm` is given tools and answers with tool calls."""
    if calls == "text" or lm is None:
        return False
    if calls == "native" and _hosted(lm):
        return True
    return bool(getattr(lm, "supports_function_calling", False))


def engine_settings(lm: Any) -> dict[str, Any]:
    """Settings that a request with tools needs on its way to the model.

    LiteLLM hands tools to a module of its own first, which wants the package `mcp` even where none of the
    tools is of that kind; it is told to leave that out.
    """
    lm = itself(lm)
    if not _hosted(lm) or not hasattr(lm, "engine") or find_spec("mcp") is not None:
        return {}
    from dspy.clients.backend_selection import select_backend

    return {} if select_backend(lm).native else {"_skip_mcp_handler": True}


def _hosted(lm: Any) -> bool:
    """Whether a server answers."""
    return isinstance(getattr(itself(lm), "engine", "auto"), str)


def itself(lm: Any) -> Any:
    """The model, or the one that it stands in for."""
    original = getattr(getattr(lm, "engine", None), "original", None)
    return lm if original is None else itself(original)
