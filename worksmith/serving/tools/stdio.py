"""One client over stdin and stdout."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from worksmith.programs.own_agents.mcp_server import tool_server
from worksmith.serving.tools.episodes import ClientEpisode, Open

_ENDS = (signal.SIGINT, signal.SIGTERM)


def serve_stdio(open: Open) -> None:
    """Serve one client until it disconnects, or a signal comes; then its episode ends."""
    episode = open()
    try:
        anyio.run(_serve, episode)
    except* BrokenPipeError:
        pass  # the client is gone
    finally:
        episode.close()


async def _serve(episode: ClientEpisode) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_leave_on_signal, episode)
        server = tool_server(episode, instructions=episode.instructions, prompt=episode.prompt)
        async with stdio_server() as (heard, said), _understood(heard, said) as messages:
            await server.run(messages, said, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _leave_on_signal(episode: ClientEpisode) -> NoReturn:
    with anyio.open_signal_receiver(*_ENDS) as signals:
        async for _ in signals:
            break
    episode.close()
    sys.stderr.flush()
    os._exit(0)  # a thread waits for stdin, which nothing but the client can end


@asynccontextmanager
async def _understood(heard: Any, said: Any) -> AsyncIterator[Any]:
    """The messages of a client. An invalid one gets an error, which the SDK would not send."""
    writer, messages = anyio.create_memory_object_stream[Any]()

    async def relay() -> None:
        async with writer:
            async for message in heard:
                if isinstance(message, Exception):
                    error = types.ErrorData(
                        code=types.PARSE_ERROR, message="This is not a message of JSON-RPC"
                    )
                    await said.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error)))
                else:
                    await writer.send(message)

    async with anyio.create_task_group() as group:
        group.start_soon(relay)
        yield messages
        group.cancel_scope.cancel()
