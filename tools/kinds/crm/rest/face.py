"""The API as an ASGI application: reads requests within limits, lets in who may ask, writes answers.

Plain ASGI on uvicorn rather than a web framework, since there are few routes and one media type, and rather
than the standard library's server, which bounds neither threads nor headers nor the time a client takes.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import traceback
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl

from tools.kinds.crm.rest.api import Api
from tools.kinds.crm.rest.connections import LET_IN
from tools.kinds.crm.rest.login import oauth_login, soap_login
from tools.kinds.crm.rest.messages import ApiError, Reply, Request, not_allowed
from tools.kinds.crm.rest.sessions import Sessions
from tools.kinds.crm.soql.results import API_VERSION

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LONGEST_ADDRESS = 16_384
"""Bytes of a path with its query string, as on the platform."""
LONGEST_BODY = 4 << 20
"""Bytes of a body."""
_DRAINED = 32 << 20
"""Bytes of a body that is too long which are read and dropped, so that the client can hear why."""
_PATIENCE = 30.0
"""Seconds that a body may take."""
_SOAP_LOGIN = ("services", "Soap", "u", API_VERSION)
_OAUTH_LOGIN = ("services", "oauth2", "token")


class Face:
    """The ASGI application.

    Args:
        hosts: names and addresses by which clients may call the server, without port; a page that has its own
            name resolve to this machine (DNS rebinding) uses another. Empty: any.
        secure: whether it is reached over TLS.
        threads: requests that are answered at the same time.
    """

    def __init__(
        self, api: Api, sessions: Sessions, *, hosts: Collection[str], secure: bool, threads: int
    ) -> None:
        self._api = api
        self._sessions = sessions
        self._hosts = frozenset(hosts)
        self._scheme = "https" if secure else "http"
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        unread = False
        try:
            reply = await self._reply(scope, receive)
        except ApiError as error:
            # There may be more of the request to come, which nobody wants to hear.
            reply, unread = error.reply(), True
        except Exception:
            # A defect of this server: the client gets a number, whoever runs it the trace.
            number = secrets.token_hex(6)
            print(f"error {number}", file=sys.stderr)  # noqa: T201
            traceback.print_exc(file=sys.stderr)
            message = f"An unexpected error occurred. Please include this ErrorId: {number}"
            reply = ApiError(500, "UNKNOWN_EXCEPTION", message).reply()
        await _send(reply, send, last=unread)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _reply(self, scope: MutableMapping[str, Any], receive: Receive) -> Reply:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "")
        self._check_host(host)
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            raise ApiError(414, "URI_TOO_LONG", f"The address is longer than {LONGEST_ADDRESS} bytes")
        path = tuple(part for part in scope["path"].split("/") if part)
        logins = {_SOAP_LOGIN: soap_login, _OAUTH_LOGIN: oauth_login}
        login = logins.get(path)
        session = "" if login else self._session(headers.get("authorization", ""))
        scope["state"][LET_IN] = login is None
        request = Request(
            scope["method"],
            path,
            _params(scope["query_string"]),
            headers,
            await _body(headers, receive),
            session,
            f"{self._scheme}://{host}",
        )
        loop = asyncio.get_running_loop()
        if login is None:
            return await loop.run_in_executor(self._threads, self._api.answer, request)
        if request.method != "POST":
            raise not_allowed(request.method, ["POST"])
        reply = await loop.run_in_executor(self._threads, login, request, self._sessions)
        scope["state"][LET_IN] = reply.status == 200
        return reply

    def _check_host(self, host: str) -> None:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self._hosts and name.strip("[]").lower() not in self._hosts:
            raise ApiError(421, "MISDIRECTED_REQUEST", "This server does not answer to that host name")

    def _session(self, authorization: str) -> str:
        scheme, _, session_id = authorization.partition(" ")
        known = scheme.lower() in ("bearer", "oauth") and self._sessions.key(session_id.strip())
        if not known:
            raise ApiError(401, "INVALID_SESSION_ID", "Session expired or invalid")
        return known


def _params(query: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError:
        raise ApiError(400, "MALFORMED_QUERY", "The query string cannot be read") from None
    return dict(pairs)


async def _body(headers: MutableMapping[str, str], receive: Receive) -> bytes:
    """The whole body.

    Raises:
        ApiError: it is too long, or too long in coming.
    """
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_PATIENCE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ApiError(400, "CLIENT_GONE", "The client hung up")
                chunk: bytes = message.get("body", b"")
                size += len(chunk)
                if size <= LONGEST_BODY:
                    chunks.append(chunk)
                if not message.get("more_body") or size > _DRAINED:
                    break
    except TimeoutError:
        raise ApiError(408, "REQUEST_TIMEOUT", f"The body took longer than {_PATIENCE:g} seconds") from None
    if size > LONGEST_BODY:
        raise ApiError(413, "REQUEST_TOO_LARGE", f"The body is longer than {LONGEST_BODY} bytes")
    return b"".join(chunks)


async def _send(reply: Reply, send: Send, *, last: bool) -> None:
    """Send an answer, and hang up if it is the `last`."""
    content = b""
    if reply.body is not None:
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False)
        content = text.encode("utf-8", "replace")
    headers = [(b"content-length", str(len(content)).encode()), (b"cache-control", b"no-store")]
    if reply.body is not None:
        headers.append((b"content-type", reply.media.encode()))
    if last:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
