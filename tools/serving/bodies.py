"""Bodies of requests: plain UTF-8, and JSON that every reader reads alike."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from worksmith.retrievers.strict_json import parse_json
from worksmith.tools.serving.refusals import RequestError

if TYPE_CHECKING:
    from starlette.types import Message, Receive

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check_text(body: bytes) -> None:
    """See that a body has no byte order mark and no NUL, of which UTF-16 and UTF-32 are full."""
    if body.startswith(_MARKS) or b"\0" in body:
        message = "The body must be UTF-8 without a byte order mark and without NUL characters"
        raise RequestError(400, "invalid_request", message)


def json_body(body: bytes) -> Any:
    """The value of a body.

    Raises:
        RequestError: it is not JSON, has a key twice in one object, or a text with a NUL character.
    """
    check_text(body)
    try:
        value = parse_json(body)
    except ValueError as error:
        raise RequestError(400, "invalid_json", f"The body is not valid JSON: {error}") from None
    if b"\\u0000" in body and _has_nul(value):
        raise RequestError(400, "invalid_json", "The body has a NUL character in a text; leave it out")
    return value


def replayed(body: bytes, receive: Receive) -> Receive:
    """The messages of a request whose body has been read, with that body."""
    unread = [body]

    async def read() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return read


def _has_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_nul(each) for pair in value.items() for each in pair)
    return any(map(_has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value
