"""Requests and their answers; knows the API's resources, and nothing of the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tools.kinds.crm.rest.bodies import json_object
from tools.kinds.crm.rest.messages import DATA, ApiError, Reply, Request, not_allowed, not_found
from tools.kinds.crm.rest.reading import Reader
from tools.kinds.crm.rest.serving import Serving
from tools.kinds.crm.rest.store import OrgStore
from tools.kinds.crm.rest.writing import Writer
from tools.kinds.crm.soql.errors import QueryError
from tools.kinds.crm.soql.results import API_VERSION

_ROOT = tuple(DATA.strip("/").split("/"))
_VERSIONS = [{"label": "Winter '24", "url": DATA, "version": API_VERSION}]
_RESOURCES = {
    name: f"{DATA}/{name}" for name in ("composite", "limits", "query", "queryAll", "search", "sobjects")
}
_LIMITS = {"DailyApiRequests": {"Max": 15_000, "Remaining": 15_000}}
_MOST_PARTS = 25
"""Requests within one."""


class Api:
    """Answers requests from clients that have been let in. Thread-safe."""

    def __init__(self, store: OrgStore, serving: Serving) -> None:
        self._schema = serving.schema
        self._reader = Reader(store, serving)
        self._writer = Writer(store, serving)

    def answer(self, request: Request) -> Reply:
        """The answer to a request; what is wrong with it is an answer too."""
        try:
            return self._answer(request)
        except ApiError as error:
            return error.reply()
        except QueryError as error:
            return ApiError(400, error.code, error.detail).reply()

    def _answer(self, request: Request) -> Reply:
        if request.path == _ROOT[:2]:
            return _by_method(request, GET=lambda: Reply(200, _VERSIONS))
        if request.path[: len(_ROOT)] != _ROOT:
            raise not_found()
        match request.path[len(_ROOT) :]:
            case ():
                return _by_method(request, GET=lambda: Reply(200, _RESOURCES))
            case ("limits",):
                return _by_method(request, GET=lambda: Reply(200, _LIMITS))
            case ("query" | "queryAll",):
                return _by_method(request, GET=lambda: self._reader.query(request))
            case ("query" | "queryAll", locator):
                return _by_method(request, GET=lambda: self._reader.more(request, locator))
            case ("search",):
                return _by_method(request, GET=lambda: self._reader.search(request))
            case ("composite",):
                return _by_method(request, POST=lambda: self._composite(request))
            case ("composite", "sobjects"):
                writer = self._writer
                return _by_method(
                    request,
                    POST=lambda: writer.create_many(request),
                    PATCH=lambda: writer.update_many(request),
                )
            case ("sobjects", *rest):
                return self._objects(request, rest)
            case ("knowledgeManagement", "articleVersions", "masterVersions", article):
                return _by_method(request, PATCH=lambda: self._writer.publish(request, article))
        raise not_found()

    def _objects(self, request: Request, rest: list[str]) -> Reply:
        reader, writer = self._reader, self._writer
        if not rest:
            return _by_method(request, GET=reader.objects)
        entity = self._schema.object(rest[0])
        if entity is None:
            raise not_found()
        match rest[1:]:
            case []:
                return _by_method(
                    request,
                    GET=lambda: reader.about(entity),
                    POST=lambda: writer.create(request, entity),
                )
            case ["describe"]:
                return _by_method(request, GET=lambda: reader.describe(entity))
            case [record_id]:
                return _by_method(
                    request,
                    GET=lambda: reader.record(request, entity, record_id),
                    PATCH=lambda: writer.update(request, entity, record_id),
                    DELETE=lambda: writer.delete(entity, record_id),
                )
        raise not_found()

    def _composite(self, request: Request) -> Reply:
        """Several requests in one; only such as read, whose addresses may be too long to stand alone."""
        parts = json_object(request.body).get("compositeRequest")
        if not isinstance(parts, list) or len(parts) > _MOST_PARTS:
            message = f"compositeRequest has to be a list of at most {_MOST_PARTS}"
            raise ApiError(400, "INVALID_INPUT", message)
        return Reply(200, {"compositeResponse": [self._part(request, part) for part in parts]})

    def _part(self, whole: Request, part: Any) -> dict[str, Any]:
        texts = {
            name: part.get(name) if isinstance(part, dict) else None
            for name in ("url", "method", "referenceId")
        }
        url, name = texts["url"], texts["referenceId"]
        if not (isinstance(url, str) and isinstance(name, str) and texts["method"] == "GET"):
            message = "Each part needs a url, a referenceId and the method GET; this server takes no other"
            raise ApiError(400, "INVALID_INPUT", message)
        try:
            address = urlsplit(url)
            params = dict(parse_qsl(address.query, max_num_fields=20))
        except ValueError as error:
            raise ApiError(400, "INVALID_INPUT", f"{name}: not an address: {error}") from None
        inner = Request(
            "GET",
            tuple(filter(None, address.path.split("/"))),
            params,
            whole.headers,
            session=whole.session,
            origin=whole.origin,
        )
        reply = self.answer(inner)
        return {"body": reply.body, "httpHeaders": {}, "httpStatusCode": reply.status, "referenceId": name}


def _by_method(request: Request, **answers: Callable[[], Reply]) -> Reply:
    answer = answers.get(request.method)
    if answer is None:
        raise not_allowed(request.method, list(answers))
    return answer()
