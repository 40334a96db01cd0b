"""Tools of an MCP server as tools of an environment that reach outside."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.mcp_servers.connection import McpServer
from worksmith.tools.kinds.own_data.mcp_servers.listing import ListedTool, Listing
from worksmith.tools.kinds.own_data.mcp_servers.schemas import Parameters, python_name
from worksmith.tools.kinds.own_data.outside import Recorder
from worksmith.tools.kinds.own_data.tools import OwnTools


def add_tools(
    tools: OwnTools,
    server: McpServer,
    toolkit: str,
    *,
    listing: Path | None,
    only: Iterable[str],
    reads: Iterable[str],
    twins: Mapping[str, Callable[..., Any]],
    record: Path | str | None,
) -> None:
    """Declare tools of a server; arguments as in `Environment.add_mcp`."""
    if listing is not None and listing.exists():
        known = Listing.read(listing)
    else:
        known = server.check()
        if listing is not None:
            known.write(listing)
    server.expected = known
    reading = {tool.name for tool in known.chosen(reads, "reads")}
    chosen = known.chosen(only, "only")
    if unknown := twins.keys() - {tool.name for tool in chosen}:
        raise InputError(f"there is no tool {min(unknown)!r} to stand in for", where="twins")
    recorder = Recorder(record) if record is not None else None
    for tool in chosen:
        where = f"the tool {tool.name} of {server.name}"
        tools.add(
            _function(server, tool, where),
            toolkit,
            writes=tool.name not in reading,
            outside=True,
            twin=twins.get(tool.name),
            recorder=recorder,
            origin=where,
        )
    tools.served[toolkit] = known.digest


def _function(server: McpServer, tool: ListedTool, where: str) -> Callable[..., Any]:
    parameters = Parameters(tool.input_schema, where)

    def call(ctx: Any, **arguments: Any) -> Any:
        return server.call(tool.name, parameters.given(arguments))

    first = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__name__ = call.__qualname__ = python_name(tool.name)
    call.__doc__ = tool.description.strip() or f"{tool.name}."
    call.__signature__ = inspect.Signature([first, *parameters.all])  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters.all}
    return call
