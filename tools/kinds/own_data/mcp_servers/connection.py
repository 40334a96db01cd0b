"""The connection to an MCP server: opened when it is first needed, shared by threads, closed at exit."""

from __future__ import annotations

import atexit
import logging
import os
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

from worksmith.tools.errors import InfrastructureError, InputError, ToolError, needing
from worksmith.tools.files.secrets import described, without_secrets
from worksmith.tools.kinds.own_data.mcp_servers.address import Address, opened
from worksmith.tools.kinds.own_data.mcp_servers.listing import ListedTool, Listing
from worksmith.tools.kinds.own_data.mcp_servers.replies import read_reply

if TYPE_CHECKING:
    import anyio
    from anyio.from_thread import BlockingPortal
    from mcp import Client
    from mcp_types import CallToolResult

_MOST_TOOLS = 1_000
_CLOSING = 10.0
"""Seconds that a server gets to end."""

_SAID = 500
"""Bytes of a server's own messages that an error quotes."""


@dataclass(frozen=True)
class _Open:
    """An open connection.

    Attributes:
        tools: that the server has.
        stop: ends the connection.
    """

    client: Client
    tools: Listing
    stop: anyio.Event


@dataclass(frozen=True)
class _Held:
    """A connection that is open, or is being opened.

    Attributes:
        running: ends with the connection.
    """

    ready: Future[_Open]
    running: Future[None]

    def close(self, wait: float = 0.0) -> None:
        try:
            _portal().start_task_soon(self.ready.result(timeout=0).stop.set)
        except BaseException:  # it never opened
            self.running.cancel()
        if wait:
            with suppress(BaseException):
                self.running.result(timeout=wait)


class McpServer:
    """A server, which is started or asked when it is first needed. Thread-safe.

    Attributes:
        name: in messages.
        expected: a server with other tools than these is not used; None for any.

    Args:
        seconds: the longest time of a call, and of the start.
    """

    def __init__(self, name: str, address: Address, *, seconds: float) -> None:
        self.name = name
        self.expected: Listing | None = None
        self._address, self._seconds = address, seconds
        self._lock = threading.Lock()
        self._held: _Held | None = None
        # The server writes this at its end, at any point of reading.
        self._said = cast("TextIO", tempfile.TemporaryFile("a+"))  # noqa: SIM115

    def check(self) -> Listing:
        """The tools that it has now."""
        with needing("a tool of an MCP server", "mcp"):
            import mcp  # noqa: F401
        try:
            return self._connection()[1].tools
        except InfrastructureError as error:
            raise InputError(str(error)) from error

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """The reply to a call, see `read_reply`.

        Raises:
            ToolError: the tool refused the call; the message is the server's.
            InfrastructureError: the server died, took too long, has other tools, or its reply is invalid.
        """
        held, connection = self._connection()
        seconds = self._seconds

        async def ask() -> CallToolResult:
            import anyio

            with anyio.fail_after(seconds):
                return await connection.client.call_tool(tool, dict(arguments))

        return read_reply(self._answer(held, ask))

    def _connection(self) -> tuple[_Held, _Open]:
        with self._lock:
            held = self._held = self._held or self._opened()
        try:
            found = held.ready.result(timeout=self._seconds)
        except BaseException as error:
            self._drop(held)
            slow = isinstance(error, TimeoutError)
            fault = f"no answer within {self._seconds:g} s" if slow else described(_cause(error))
            raise InfrastructureError(f"{self.name}: {fault}{self._last_words()}") from error
        if self.expected is not None and (changes := self.expected.changes(found.tools)):
            self._drop(held)
            raise InfrastructureError(
                f"the tools of {self.name} have changed: {'; '.join(changes)}; make the environment anew, "
                "after removing the file of its tools (listing=) if there is one"
            )
        return held, found

    def _opened(self) -> _Held:
        ready: Future[_Open] = Future()
        held = _Held(ready, _portal().start_task_soon(_hold, self._address, self._said, self.name, ready))
        atexit.register(held.close, _CLOSING)
        return held

    def _drop(self, held: _Held) -> None:
        with self._lock:
            if self._held is held:
                self._held = None
        held.close()

    def _answer(self, held: _Held, ask: Callable[[], Awaitable[CallToolResult]]) -> CallToolResult:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS, INVALID_REQUEST

        try:
            return _portal().call(ask)
        except TimeoutError as error:
            raise InfrastructureError(f"{self.name}: no answer within {self._seconds:g} s") from error
        except Exception as error:
            cause = _cause(error)
            code = cause.code if isinstance(cause, MCPError) else CONNECTION_CLOSED
            if code == INVALID_PARAMS:
                raise ToolError(without_secrets(str(cause))) from error
            if code in (CONNECTION_CLOSED, INVALID_REQUEST):
                self._drop(held)
            raise InfrastructureError(f"{self.name}: {described(cause)}{self._last_words()}") from error

    def _last_words(self) -> str:
        """The last output on standard error of a server that was started here."""
        file = self._said.fileno()
        last = os.pread(file, _SAID, max(0, os.fstat(file).st_size - _SAID))
        message = without_secrets(last.decode(errors="replace")).strip()
        return f"; it said: {message}" if message else ""


@cache
def _portal() -> BlockingPortal:
    """The event loop of all connections, in a separate thread."""
    from anyio.from_thread import start_blocking_portal

    # The SDK logs each invalid line; errors report it.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    stack = ExitStack()
    portal = stack.enter_context(start_blocking_portal(name="worksmith-mcp"))
    atexit.register(stack.close)
    return portal


async def _hold(address: Address, said: TextIO, name: str, ready: Future[_Open]) -> None:
    """Hold a connection open until its event is set; one task opens and closes it."""
    import anyio
    from mcp import Client

    try:
        async with Client(opened(address, said), cache=None) as client:
            found = _Open(client, Listing.of(await _listed(client), name), anyio.Event())
            ready.set_result(found)
            await found.stop.wait()
    except Exception as error:
        if not ready.done():
            ready.set_exception(error)
    finally:
        ready.cancel()


async def _listed(client: Client) -> list[ListedTool]:
    found: list[ListedTool] = []
    cursor = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += [
            ListedTool(name=tool.name, description=tool.description or "", input_schema=tool.input_schema)
            for tool in page.tools
        ]
        cursor = page.next_cursor
        if not cursor:
            return found
        if len(found) > _MOST_TOOLS or not page.tools:
            raise ValueError(f"its list of tools does not end after {len(found):,}")


def _cause(error: BaseException) -> BaseException:
    """The first exception in groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
