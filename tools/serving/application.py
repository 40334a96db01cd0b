"""The base of a server's application: requests within limits, and an answer to each."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from worksmith.tools.serving.connections import LET_IN
from worksmith.tools.serving.refusals import RequestError
from worksmith.tools.serving.tokens import same

T = TypeVar("T")

LONGEST_ADDRESS = 16_384
"""Bytes of a path with its query string."""
_DRAINED = 32 << 20
"""Bytes of a too long body that are read and dropped, so that the client gets the reason."""
_PATIENCE = 30.0
"""Seconds that a body may take."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Application(ABC):
    """An ASGI application. Requests outside its limits and defects are answered here.

    Args:
        host: that the server listens on. At a loopback address it answers to names of this machine only: a
            page that has its own name resolve to this machine (DNS rebinding) uses another.
        threads: requests that are answered at the same time.
        longest_body: bytes of a request's body.
    """

    def __init__(self, host: str, *, threads: int, longest_body: int) -> None:
        self._hosts: Collection[str] = {*LOOPBACK, host.lower()} if is_loopback(host) else ()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._longest_body = longest_body

    @abstractmethod
    async def answer(self, http: Request) -> Response:
        """The answer to a request.

        Raises:
            RequestError: no answer is possible. The connection ends with it.
        """

    @abstractmethod
    def refusal(self, error: RequestError) -> Response:
        """The answer to a request that is refused, in the form that clients of this API read."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            response = await self._checked(Request(scope, receive))
        except RequestError as error:
            response = self.refusal(error)
            # The request may continue; the rest is dropped.
            response.headers["connection"] = "close"
        except Exception:
            # A defect of this server: the client gets a number, the operator the trace.
            number = secrets.token_hex(6)
            print(f"error {number}", file=sys.stderr)  # noqa: T201
            traceback.print_exc(file=sys.stderr)
            message = f"An unexpected error occurred. Please include this ErrorId: {number}"
            response = self.refusal(RequestError(500, "unknown_exception", message))
        response.headers.setdefault("cache-control", "no-store")
        await response(scope, receive, send)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def check_token(self, http: Request, token: str) -> None:
        """Let a client in that shows the token as its bearer."""
        scheme, _, given = http.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not same(given.strip(), token):
            raise RequestError(401, "invalid_api_key", "Incorrect API key; the server printed the right one")
        self.let_in(http)

    def let_in(self, http: Request, known: bool = True) -> None:
        """Mark the connection of a client that showed the token."""
        http.scope["state"][LET_IN] = known

    async def in_thread(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    async def body(self, http: Request) -> bytes:
        """The body of a request, read whole.

        Raises:
            RequestError: it is too long or too slow, or the client is gone.
        """
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(_PATIENCE):
                async for chunk in http.stream():
                    size += len(chunk)
                    if size <= self._longest_body:
                        chunks.append(chunk)
                    if size > _DRAINED:
                        break
        except ClientDisconnect:
            raise RequestError(400, "client_gone", "The client hung up") from None
        except TimeoutError:
            message = f"The body took longer than {_PATIENCE:g} seconds"
            raise RequestError(408, "request_timeout", message) from None
        if size > self._longest_body:
            message = f"The body is longer than {self._longest_body} bytes"
            raise RequestError(413, "request_too_large", message)
        return b"".join(chunks)

    async def _checked(self, http: Request) -> Response:
        self._check_host(http.headers.get("host", ""))
        if len(http.scope["raw_path"]) + len(http.scope["query_string"]) > LONGEST_ADDRESS:
            message = f"The address is longer than {LONGEST_ADDRESS} bytes"
            raise RequestError(414, "uri_too_long", message)
        return await self.answer(http)

    def _check_host(self, host: str) -> None:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self._hosts and name.strip("[]").lower() not in self._hosts:
            raise RequestError(421, "misdirected_request", "This server does not answer to that host name")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
