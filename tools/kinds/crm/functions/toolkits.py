"""The functions as tools, in two toolkits: with handles for long results, and as they were published."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable
from typing import Any

from worksmith.tools.declared import declared
from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.functions import Functions
from worksmith.tools.kinds.crm.functions.base import Counts, Ids, Records, Values
from worksmith.tools.kinds.crm.functions.handles import SHOWN, Shape, resolved, shown
from worksmith.tools.kinds.crm.orgs.opening import open_org, settings_of
from worksmith.tools.tool import Toolkit
from worksmith.tools.tool_context import Shown, ToolContext

READ_WHOLE = 20_000
"""Characters of a result for reading, such as the e-mails of a case."""

_TEXTS = read_toml(__package__, "functions.toml")
_TO_READ = frozenset(
    {
        "search_knowledge_articles",
        "get_issues",
        "get_email_messages_by_case_id",
        "get_livechat_transcript_by_case_id",
    }
)
_SHAPES: dict[Any, Shape] = {Records: "records", Ids: "ids", Counts: "numbers", Values: "numbers"}
# What prompts show of the types: no element types of records, which are whatever a query selects.
_TYPES: dict[Shape, Any] = {
    "records": list[dict],  # type: ignore[type-arg]
    "ids": list[str],
    "numbers": dict[str, float],
}


def functions_toolkit() -> Toolkit:
    return Toolkit.of("functions", "service cases, agents and purchases", map(_with_handles, _TEXTS))


def plain_toolkit() -> Toolkit:
    """The functions as published: results are shown whole, and arguments repeat them."""
    return Toolkit.of("plain", "the functions without handles", map(_plain, _TEXTS), by_name_only=True)


def _with_handles(name: str) -> Callable[..., Any]:
    shapes = _shapes_of(name)

    def call(ctx: ToolContext, **arguments: Any) -> Any:
        given = {
            argument: resolved(argument, value, shapes[argument], ctx.results)
            if argument in shapes and value is not None
            else value
            for argument, value in arguments.items()
        }
        functions = _functions(ctx)
        value = getattr(functions, name)(**given)
        limit = READ_WHOLE if name in _TO_READ else SHOWN
        return shown(value, len(ctx.results) + 1, limit, functions.notes)

    return _as_tool(call, name, {argument: str | _TYPES[shape] for argument, shape in shapes.items()})


def _plain(name: str) -> Callable[..., Any]:
    def call(ctx: ToolContext, **arguments: Any) -> Any:
        functions = _functions(ctx)
        value = getattr(functions, name)(**arguments)
        if not functions.notes:
            return value
        return Shown(value, "\n".join([json.dumps(value, ensure_ascii=False), *functions.notes]))

    return _as_tool(call, name, {argument: _TYPES[shape] for argument, shape in _shapes_of(name).items()})


def _functions(ctx: ToolContext) -> Functions:
    return Functions(open_org(ctx), settings_of(ctx).mode)


def _shapes_of(name: str) -> dict[str, Shape]:
    """The arguments of a function that hold data of a certain shape."""
    hints = _hints(name)
    return {
        argument: shape
        for argument in inspect.signature(getattr(Functions, name)).parameters
        for kind, shape in _SHAPES.items()
        if hints.get(argument) in (kind, kind | None)
    }


def _hints(name: str) -> dict[str, Any]:
    return typing.get_type_hints(getattr(Functions, name))


def _as_tool(call: Callable[..., Any], name: str, types: dict[str, Any]) -> Callable[..., Any]:
    """`call` as a tool with the name and the arguments of a function; some types changed."""
    arguments = []
    for parameter in list(inspect.signature(getattr(Functions, name)).parameters.values())[1:]:
        kind = types.get(parameter.name, _hints(name)[parameter.name])
        optional = parameter.name in types and parameter.default is None
        arguments.append((parameter.name, kind | None if optional else kind, parameter.default))
    return declared(name, _TEXTS[name], arguments, call)
