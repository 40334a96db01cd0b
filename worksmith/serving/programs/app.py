"""A program behind HTTP, as an ASGI application: limits and tokens first, then the routes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from worksmith.serving.programs.api import make_api, refusal
from worksmith.tools.serving.application import Application
from worksmith.tools.serving.bodies import json_body, replayed

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Message, Receive, Scope, Send

    from worksmith.serving.programs.desk import Desk
    from worksmith.serving.programs.metrics import Metrics
    from worksmith.serving.programs.tokens import Caller, Tokens
    from worksmith.tools.serving.refusals import RequestError

LONGEST_BODY = 256 << 10
"""Bytes of a request."""

_THREADS = 16
"""Proposals that are read and decided on at the same time."""

_OPEN = frozenset({"/health/live", "/health/ready", "/metrics", "/openapi.json"})
"""Paths that need no token."""


class ProgramApp(Application):
    """The application.

    Args:
        host: that the server listens on; empty for a server that answers to any name.
    """

    def __init__(self, desk: Desk, metrics: Metrics, tokens: Tokens, *, host: str, title: str) -> None:
        super().__init__(host, threads=_THREADS, longest_body=LONGEST_BODY)
        self.desk, self._metrics, self._tokens = desk, metrics, tokens
        self._api = make_api(desk, metrics, self.in_thread, title)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.requests.labels(_route(scope), str(message["status"])).inc()
                headers = [pair for pair in message["headers"] if pair[0] != b"cache-control"]
                headers.append((b"cache-control", b"no-store"))
                if scope["path"] in _OPEN:
                    # Only clients with a token keep a connection, see `worksmith.tools.serving.connections`.
                    headers.append((b"connection", b"close"))
                message = {**message, "headers": headers}
            await send(message)

        await super().__call__(scope, receive, counted)

    async def answer(self, http: Request) -> Response:
        if http.scope["path"] not in _OPEN:
            header = http.headers.get("authorization", "")
            # It may fetch keys and read tables, so it can take a while.
            http.state.caller = await asyncio.to_thread(self._caller, header, http.method == "POST")
            self.let_in(http)
        body = await self.body(http)
        if body:
            json_body(body)
        return _Routed(self._api, body)

    def _caller(self, header: str, acts: bool) -> Caller:
        """The person whom a token names, by the current tables for an action."""
        env = self.desk.rollouts.suite.env
        caller = self._tokens.caller(header, env)
        return self._tokens.caller(header, env) if acts and self.desk.refresh() else caller

    def refusal(self, error: RequestError) -> Response:
        return refusal(error)

    def close(self) -> None:
        self.desk.rollouts.close()
        super().close()


class _Routed(Response):
    """The answer of the routes to a request whose body has been read."""

    def __init__(self, api: FastAPI, body: bytes) -> None:
        super().__init__()
        self._api, self._read = api, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A defect has been answered by the API, which raises it nevertheless.
        with suppress(Exception):
            await self._api(scope, replayed(self._read, receive), send)


def _route(scope: Scope) -> str:
    """The path without ids; a fixed number of figures for any requests."""
    parts = str(scope.get("path", "")).strip("/").split("/")
    known = {"tasks", "changes", "health", "metrics", "openapi.json"}
    if parts[0] not in known:
        return "other"
    decision = parts[2] if len(parts) == 3 and parts[2] in ("approve", "reject", "settle") else ""
    return f"{parts[0]}/{decision}" if decision else parts[0]
