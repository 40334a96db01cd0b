"""Where an MCP server is: a command that starts it, or its address."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from worksmith.tools.errors import InputError


@dataclass(frozen=True)
class Address:
    """Where a server is.

    Attributes:
        command: starts it in `folder`, with `variables` beside a few harmless ones; empty for one at `url`.
        headers: of every request to `url`.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path | None = None

    @classmethod
    def of(
        cls,
        server: str | Sequence[str],
        headers: Mapping[str, str] | None,
        variables: Mapping[str, str] | None,
        folder: Path,
    ) -> Address:
        """The address that a user gave."""
        where = "add_mcp"
        if isinstance(server, str) and server.startswith(("http://", "https://")):
            if variables:
                raise InputError("only a command has environment variables", where=where, hint="use headers")
            return cls(url=server, headers=dict(headers or {}))
        try:
            command = tuple(shlex.split(server) if isinstance(server, str) else map(str, server))
        except ValueError as error:
            raise InputError(f"{server!r} is no command: {error}", where=where) from error
        if not command or headers:
            fault = "only a server at an address gets headers" if command else "no server is named"
            raise InputError(fault, where=where, hint="give its command, or its address: https://...")
        return cls(command=command, variables=dict(variables or {}), folder=folder)


@asynccontextmanager
async def opened(address: Address, said: TextIO) -> AsyncIterator[Any]:
    """The streams to and from a server; its standard error goes to `said`."""
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    if address.command:
        command, *rest = address.command
        parameters = StdioServerParameters(
            command=command, args=rest, env=dict(address.variables), cwd=address.folder
        )
        async with stdio_client(parameters, errlog=said) as streams:
            yield streams
        return
    async with create_mcp_http_client(headers=dict(address.headers)) as client:
        # A redirection must not carry headers with credentials elsewhere.
        client.follow_redirects = not address.headers
        async with streamable_http_client(address.url, http_client=client) as streams:
            yield streams
