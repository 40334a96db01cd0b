"""The API as an ASGI application: requests within limits, from clients that may ask, and their answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Match, Route

from worksmith.tools.kinds.crm.rest.login import Sessions, oauth_login, soap_login
from worksmith.tools.kinds.crm.rest.messages import (
    DATA,
    ApiError,
    Reply,
    Request,
    Serving,
    json_object,
    not_allowed,
    not_found,
)
from worksmith.tools.kinds.crm.rest.reading import Reader
from worksmith.tools.kinds.crm.rest.store import OrgStore
from worksmith.tools.kinds.crm.rest.writing import Writer
from worksmith.tools.kinds.crm.soql.errors import QueryError
from worksmith.tools.kinds.crm.soql.results import API_VERSION
from worksmith.tools.serving.application import Application
from worksmith.tools.serving.bodies import check_text
from worksmith.tools.serving.refusals import RequestError

THREADS = 4
"""Requests that are answered at the same time; each has a copy of the world."""
LONGEST_BODY = 4 << 20
"""Bytes of a body."""
_MOST_PARTS = 25
"""Requests within one."""

_VERSIONS = [{"label": "Winter '24", "url": DATA, "version": API_VERSION}]
_RESOURCES = {
    name: f"{DATA}/{name}" for name in ("composite", "limits", "query", "queryAll", "search", "sobjects")
}
_LIMITS = {"DailyApiRequests": {"Max": 15_000, "Remaining": 15_000}}
_LOGINS = {f"/services/Soap/u/{API_VERSION}": soap_login, "/services/oauth2/token": oauth_login}


_ABSENT = {
    "The Bulk API": r"/services/async/|/services/data/v[\d.]+/jobs\b",
    "The Metadata API": "/services/Soap/m/",
    "The Tooling API": r"/services/Soap/T/|/services/data/v[\d.]+/tooling\b",
    "Apex REST": "/services/apexrest/",
}
"""What clients of the platform may ask for as well, by their addresses."""


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
        path, allowed = "", set[str]()  # the first path that fits decides, for any method
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


class App(Application):
    """The ASGI application.

    Args:
        host: that the server listens on.
        secure: whether it is reached over TLS.
    """

    def __init__(self, api: Api, sessions: Sessions, *, host: str, secure: bool) -> None:
        super().__init__(host, threads=THREADS, longest_body=LONGEST_BODY)
        self._api = api
        self._sessions = sessions
        self._scheme = "https" if secure else "http"

    async def answer(self, http: HttpRequest) -> Response:
        """The answer of the API, or of a login."""
        return _response(await self._reply(http))

    def refusal(self, error: RequestError) -> Response:
        """A refusal as the platform words it."""
        if not isinstance(error, ApiError):
            error = ApiError(error.status, error.code.upper(), error.message)
        return _response(error.reply())

    async def _reply(self, http: HttpRequest) -> Reply:
        path = _path(http.scope["path"])
        absent = next((name for name, pattern in _ABSENT.items() if re.match(pattern, path)), None)
        if absent:
            raise ApiError(404, "NOT_FOUND", f"{absent} is not served here; the REST API is at {DATA}")
        login = _LOGINS.get(path)
        session = "" if login else self._session(http.headers.get("authorization", ""))
        self.let_in(http, login is None)
        body = await self.body(http)
        check_text(body)
        request = Request(
            http.method,
            path,
            _params(http.scope["query_string"]),
            http.headers,
            body,
            session,
            f"{self._scheme}://{http.headers.get('host', '')}",
        )
        if login is None:
            return await self.in_thread(self._api.answer, request)
        if request.method != "POST":
            raise not_allowed(request.method, ["POST"])
        reply = await self.in_thread(login, request, self._sessions)
        self.let_in(http, reply.status == 200)
        return reply

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
    if len({name for name, _ in pairs}) < len(pairs):
        raise ApiError(400, "MALFORMED_QUERY", "The query string has a name twice")
    return dict(pairs)


def _response(reply: Reply) -> Response:
    if reply.body is None:
        return Response(status_code=reply.status)
    text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False)
    return Response(text.encode("utf-8", "replace"), reply.status, media_type=reply.media)
