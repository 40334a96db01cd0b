"""Requests, answers, and errors in the form in which the platform gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worksmith.tools.kinds.crm.schema import Schema
from worksmith.tools.kinds.crm.soql.results import API_VERSION
from worksmith.tools.serving.bodies import json_body
from worksmith.tools.serving.refusals import RequestError

JSON = "application/json;charset=UTF-8"
XML = "text/xml;charset=UTF-8"

DATA = f"/services/data/v{API_VERSION}"
"""Where the API's resources are."""


@dataclass(frozen=True)
class Request:
    """A request, read whole.

    Attributes:
        path: decoded, without empty segments.
        params: of the query string.
        headers: by name in small letters.
        session: the key of the session that it belongs to; see `Sessions`.
        origin: scheme, host and port under which the client knows the server.
    """

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    session: str = ""
    origin: str = ""


@dataclass(frozen=True)
class Reply:
    """An answer. `body`: JSON-able data, or text in another format; None for an answer without one."""

    status: int
    body: Any = None
    media: str = JSON


class ApiError(RequestError):
    """A request that is refused.

    Attributes:
        code: e.g. `REQUIRED_FIELD_MISSING`.
        fields: names of the fields that are to blame.
    """

    def __init__(self, status: int, code: str, message: str, fields: Sequence[str] = ()) -> None:
        super().__init__(status, code, message)
        self.fields = tuple(fields)

    def reply(self) -> Reply:
        return Reply(self.status, [error_body(self.code, self.message, self.fields)])


def error_body(code: str, message: str, fields: Sequence[str] = ()) -> dict[str, Any]:
    body: dict[str, Any] = {"message": message, "errorCode": code}
    return body | {"fields": list(fields)} if fields else body


def not_found() -> ApiError:
    """That there is nothing at an address, or nothing that the asker may see."""
    return ApiError(404, "NOT_FOUND", "The requested resource does not exist")


def not_allowed(method: str, allowed: Sequence[str]) -> ApiError:
    """The error for an existing address without this method."""
    message = f"HTTP Method '{method}' not allowed. Allowed are {','.join(sorted(allowed))}"
    return ApiError(405, "METHOD_NOT_ALLOWED", message)


def read_only() -> ApiError:
    message = "This org is served read-only; `worksmith serve crm --writable` lets its records be changed."
    return ApiError(403, "INSUFFICIENT_ACCESS_OR_READONLY", message)


@dataclass(frozen=True)
class Serving:
    """What clients may see and do.

    Attributes:
        schema: the objects and fields that exist for them.
        writable: whether they may change records.
        audit: whether new records may give dates that are otherwise the system's own.
    """

    schema: Schema
    writable: bool = False
    audit: bool = False


def json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json_body(body)
    except RequestError as error:
        raise ApiError(400, "JSON_PARSER_ERROR", error.message) from None
    if not isinstance(value, dict):
        raise ApiError(400, "JSON_PARSER_ERROR", "The body has to be a JSON object")
    return value
