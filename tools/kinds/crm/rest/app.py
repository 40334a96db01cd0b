"""The API as an ASGI application: requests within limits, from clients that may ask, and their answers."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import traceback
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from tools.kinds.crm.rest.connections import LET_IN
from tools.kinds.crm.rest.login import Sessions, oauth_login, soap_login
from tools.kinds.crm.rest.messages import (
    DATA,
    ApiError,
    Reply,
    Request,
    Serving,
    json_object,
    not_allowed,
    not_found,
)
from tools.kinds.crm.rest.reading import Reader
from tools.kinds.crm.rest.store import OrgStore
from tools.kinds.crm.rest.writing import Writer
from tools.kinds.crm.soql.errors import QueryError
from tools.kinds.crm.soql.results import API_VERSION

LONGEST_ADDRESS = 16_384
"""Bytes of a path with its query string, as on the platform."""
LONGEST_BODY = 4 << 20
"""Bytes of a body."""
_DRAINED = 32 << 20
"""Bytes of a body that is too long which are read and dropped, so that the client can hear why."""
_PATIENCE = 30.0
"""Seconds that a body may take."""
_MOST_PARTS = 25
"""Requests within one."""

_VERSIONS = [{"label": "Winter '24", "url": DATA, "version": API_VERSION}]
_RESOURCES = {
    name: f"{DATA}/{name}" for name in ("composite", "limits", "query", "queryAll", "search", "sobjects")
}
_LIMITS = {"DailyApiRequests": {"Max": 15_000, "Remaining": 15_000}}
_LOGINS = {f"/services/Soap/u/{API_VERSION}": soap_login, "/services/oauth2/token": oauth_login}


class Api:
    """The resources for clients that have been let in; knows nothing of the network. Thread-safe."""

    def __init__(self, store: OrgStore, serving: Serving) -> None:
        self._schema = serving.schema
        reader, writer = Reader(store, serving), Writer(store, serving)
        articles = f"{DATA}/knowledgeManagement/articleVersions/masterVersions"
        self._routes = [
            _route("GET", "/services/data", lambda _: Reply(200, _VERSIONS)),
            _route("GET", DATA, lambda _: Reply(200, _RESOURCES)),
            _route("GET", f"{DATA}/limits", lambda _: Reply(200, _LIMITS)),
            _route("GET", f"{DATA}/query", reader.query),
            _route("GET", f"{DATA}/query/{{locator}}", reader.more),
            _route("GET", f"{DATA}/queryAll", reader.query),
            _route("GET", f"{DATA}/queryAll/{{locator}}", reader.more),
            _route("GET", f"{DATA}/search", reader.search),
            _route("POST", f"{DATA}/composite", self._composite),
            _route("POST", f"{DATA}/composite/sobjects", writer.create_many),
            _route("PATCH", f"{DATA}/composite/sobjects", writer.update_many),
            _route("GET", f"{DATA}/sobjects", reader.objects),
            _route("GET", f"{DATA}/sobjects/{{entity}}", reader.about),
            _route("POST", f"{DATA}/sobjects/{{entity}}", writer.create),
            _route("GET", f"{DATA}/sobjects/{{entity}}/describe", reader.describe),
            _route("GET", f"{DATA}/sobjects/{{entity}}/{{record_id}}", reader.record),
            _route("PATCH", f"{DATA}/sobjects/{{entity}}/{{record_id}}", writer.update),
            _route("DELETE", f"{DATA}/sobjects/{{entity}}/{{record_id}}", writer.delete),
            _route("PATCH", f"{articles}/{{article}}", writer.publish),
        ]

    def answer(self, request: Request) -> Reply:
        """Answer a request; an error in it is an answer too."""
        try:
            return self._answer(request)
        except ApiError as error:
            return error.reply()
        except QueryError as error:
            return ApiError(400, error.code, error.detail).reply()

    def _answer(self, request: Request) -> Reply:
        path, allowed = "", set[str]()  # the first path that fits decides, whatever its methods
        for route in self._routes:
            match, found = route.matches({"type": "http", "method": request.method, "path": request.path})
            if match is Match.NONE or route.path != (path or route.path):
                continue
            path = route.path
            params: dict[str, Any] = dict(found["path_params"])
            if "entity" in params:
                params["entity"] = self._schema.object(params["entity"])
                if params["entity"] is None:
                    raise not_found()
            if match is Match.FULL:
                reply: Reply = route.endpoint(request, **params)
                return reply
            allowed |= route.methods or set()
        raise not_allowed(request.method, sorted(allowed)) if allowed else not_found()

    def _composite(self, request: Request) -> Reply:
        """Answer several requests in one: those that read, whose addresses may be too long to stand alone."""
        parts = json_object(request.body).get("compositeRequest")
        if not isinstance(parts, list) or len(parts) > _MOST_PARTS:
            message = f"compositeRequest has to be a list of at most {_MOST_PARTS}"
            raise ApiError(400, "INVALID_INPUT", message)
        return Reply(200, {"compositeResponse": [self._part(request, part) for part in parts]})

    def _part(self, whole: Request, part: Any) -> dict[str, Any]:
        texts = part if isinstance(part, dict) else {}
        url, name = texts.get("url"), texts.get("referenceId")
        if not (isinstance(url, str) and isinstance(name, str) and texts.get("method") == "GET"):
            message = "Each part needs a url, a referenceId and the method GET; this server takes no other"
            raise ApiError(400, "INVALID_INPUT", message)
        try:
            address = urlsplit(url)
            params = dict(parse_qsl(address.query, max_num_fields=20))
        except ValueError as error:
            raise ApiError(400, "INVALID_INPUT", f"{name}: not an address: {error}") from None
        path = _path(address.path)
        inner = Request("GET", path, params, whole.headers, session=whole.session, origin=whole.origin)
        reply = self.answer(inner)
        return {"body": reply.body, "httpHeaders": {}, "httpStatusCode": reply.status, "referenceId": name}


class App:
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        unread = False
        try:
            reply = await self._reply(HttpRequest(scope, receive))
        except ApiError as error:
            # There may be more of the request to come, which nobody wants to hear.
            reply, unread = error.reply(), True
        except Exception:
            # A defect of this server: the client gets a number, the operator the trace.
            number = secrets.token_hex(6)
            print(f"error {number}", file=sys.stderr)  # noqa: T201
            traceback.print_exc(file=sys.stderr)
            message = f"An unexpected error occurred. Please include this ErrorId: {number}"
            reply = ApiError(500, "UNKNOWN_EXCEPTION", message).reply()
        await _response(reply, last=unread)(scope, receive, send)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _reply(self, http: HttpRequest) -> Reply:
        scope, host = http.scope, http.headers.get("host", "")
        self._check_host(host)
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            raise ApiError(414, "URI_TOO_LONG", f"The address is longer than {LONGEST_ADDRESS} bytes")
        path = _path(scope["path"])
        login = _LOGINS.get(path)
        session = "" if login else self._session(http.headers.get("authorization", ""))
        scope["state"][LET_IN] = login is None
        request = Request(
            http.method,
            path,
            _params(scope["query_string"]),
            http.headers,
            await _body(http),
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


def _route(method: str, path: str, answer: Callable[..., Reply]) -> Route:
    route = Route(path, answer, methods=[method])
    route.methods = {method}  # without HEAD, which Starlette adds to GET
    return route


def _path(path: str) -> str:
    """A path without empty segments."""
    return "/" + "/".join(filter(None, path.split("/")))


def _params(query: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError:
        raise ApiError(400, "MALFORMED_QUERY", "The query string cannot be read") from None
    return dict(pairs)


async def _body(http: HttpRequest) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_PATIENCE):
            async for chunk in http.stream():
                size += len(chunk)
                if size <= LONGEST_BODY:
                    chunks.append(chunk)
                if size > _DRAINED:
                    break
    except ClientDisconnect:
        raise ApiError(400, "CLIENT_GONE", "The client hung up") from None
    except TimeoutError:
        raise ApiError(408, "REQUEST_TIMEOUT", f"The body took longer than {_PATIENCE:g} seconds") from None
    if size > LONGEST_BODY:
        raise ApiError(413, "REQUEST_TOO_LARGE", f"The body is longer than {LONGEST_BODY} bytes")
    return b"".join(chunks)


def _response(reply: Reply, *, last: bool) -> Response:
    """The HTTP response to a request; with the `last` one the server hangs up."""
    headers = {"cache-control": "no-store", **({"connection": "close"} if last else {})}
    if reply.body is None:
        return Response(status_code=reply.status, headers=headers)
    text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False)
    return Response(text.encode("utf-8", "replace"), reply.status, headers, reply.media)
