"""A help desk's tasks over MCP on a real socket in this process, and the official client at them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.tools.kinds.own_data.desk import OF_TEAM, desk
from worksmith.evals.progress.progress import Progress
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.suite import Suite
from worksmith.jobs.settings.tool_server import ToolServerSettings
from worksmith.serving.tools.http import ToolsApp
from worksmith.serving.tools.opening import episodes_of
from worksmith.tools.serving.server import Server

TOKEN = "a-token-for-tests-only"
CLOSE = ("tools__close_ticket", {"ticket_id": "T-1"})
"""The call that does the task `close`."""


def _plan(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"tool": tool, "arguments": arguments}]


TASKS: list[dict[str, Any]] = [
    {"id": "close", "query": "Close T-1.", "persona": "ann", "plan": _plan("close_ticket", ticket_id="T-1")},
    {"id": "other", "query": "Close T-2.", "persona": "bo", "plan": _plan("close_ticket", ticket_id="T-2")},
    {"id": "drop", "query": "Delete T-3.", "persona": "ann", "plan": _plan("delete_ticket", ticket_id="T-3")},
]


def make_suite(folder: Path) -> Suite:
    return Suite(desk(folder, OF_TEAM), [{**task, "split": "test"} for task in TASKS])


class Said(Progress):
    """Keeps what a job says."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, message: str) -> None:
        self.lines.append(message)


def settings(suite: Suite, **more: Any) -> ToolServerSettings:
    return ToolServerSettings(suite=suite.path, **more)


@dataclass
class Served:
    """A running server over a suite."""

    url: str
    log: Path
    said: Said
    tokens: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {TOKEN}"})

    @asynccontextmanager
    async def connected(self, **more: Any) -> Any:
        """The official client."""
        async with (
            httpx2.AsyncClient(headers=self.tokens, trust_env=False, timeout=20) as http,
            Client(streamable_http_client(self.url, http_client=http), **more) as client,
        ):
            yield client

    def ask(self, *bodies: Callable[[Client], Awaitable[Any]]) -> list[Any]:
        """What each body gives in a session of its own; all at once."""

        async def one(body: Callable[[Client], Awaitable[Any]]) -> Any:
            async with self.connected() as client:
                return await body(client)

        async def main() -> list[Any]:
            return await asyncio.gather(*map(one, bodies))

        return asyncio.run(main())

    def http(self) -> httpx.Client:
        """A client that knows nothing of MCP, with the token."""
        headers = {**self.tokens, "Accept": "application/json, text/event-stream"}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=20)

    @property
    def records(self) -> list[EpisodeRecord]:
        return list(read_log(self.log))


@contextmanager
def served(suite: Suite, log: Path, *, idle: float = 60.0, **more: Any) -> Iterator[Served]:
    """A server for the duration of the block."""
    said = Said()
    with episodes_of(suite, settings(suite, log=log, **more), said) as open:
        server = Server(ToolsApp(open, TOKEN, host="127.0.0.1", idle=idle), secure=False)
        with server.listening() as at:
            thread = threading.Thread(target=server.run)
            thread.start()
            try:
                yield Served(f"{at.url}/mcp", log, said)
            finally:
                server.stop()
                thread.join()


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def request(method: str, /, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def begun(http: httpx.Client) -> str:
    """The id of a new session."""
    reply = http.post("", json=request("initialize", **HELLO))
    return str(reply.headers["mcp-session-id"])
