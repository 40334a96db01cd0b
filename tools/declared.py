"""Tools whose names, texts and arguments stand in a data file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from typing import Any

from worksmith.tools.tool import tool


def declared(
    name: str,
    texts: Mapping[str, Any],
    arguments: Iterable[tuple[str, Any, Any]],
    body: Callable[..., Any],
    *,
    result: Any = Signature.empty,
    writes: bool = False,
) -> Callable[..., Any]:
    """A tool function for `Toolkit.of`.

    Args:
        texts: the `summary` of the tool, and `notes` on its arguments.
        arguments: name, type and default of each; the default is `Parameter.empty` without one.
        body: is called with the context, and the arguments by name.
        result: the type of its result; demonstrations make up results by it.
    """

    def call(ctx: Any, **given: Any) -> Any:
        return body(ctx, **given)

    arguments = list(arguments)
    notes = "".join(f"\n    {argument}: {note}" for argument, note in texts.get("notes", {}).items())
    call.__name__ = call.__qualname__ = name
    call.__doc__ = texts["summary"] + (f"\n\nArgs:{notes}" if notes else "")
    call.__annotations__ = {argument: kind for argument, kind, _ in arguments}
    if result is not Signature.empty:
        call.__annotations__["return"] = result
    parameters = [("ctx", Parameter.empty), *((argument, default) for argument, _, default in arguments)]
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(argument, Parameter.KEYWORD_ONLY, default=default) for argument, default in parameters]
    )
    return tool(writes=writes)(call)
