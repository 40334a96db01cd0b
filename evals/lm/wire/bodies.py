"""The bodies of unusable replies: the text of a refusal, the usage of an unreadable answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from dspy._vendor.lm15.transports import ReadError
from dspy.lm15 import UnsupportedFeatureError
from dspy.utils.exceptions import LMError, LMServerError, LMUnsupportedFeatureError

from worksmith.evals.lm.wire.replies import mended, readable

LONGEST = 20_000
"""Bytes of a refusal that are kept."""

_LARGEST = 100_000_000
"""Bytes of an answer; a longer one does not end."""

_SHOWN = 500
"""Characters of a refusal that are shown where the client finds no message in it."""


@dataclass
class _Body:
    """What has arrived of a reply.

    Attributes:
        status: of HTTP; None if nothing has arrived.
        data: of a reply that another client has read.
    """

    status: int | None = None
    text: bytearray = field(default_factory=bytearray)
    data: Any = None


_BODY: ContextVar[_Body | None] = ContextVar("body_of_reply", default=None)


def in_request() -> bool:
    """Whether this is in a block of `with_body`."""
    return _BODY.get() is not None


def received(status: int, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks of a body, which is kept for the error that `with_body` lets through.

    An answer comes in one piece, as DSPy's client can read it.
    """
    body = _BODY.get() or _Body()
    body.status = status
    for chunk in chunks:
        if status < 400:
            body.text += chunk
            if len(body.text) > _LARGEST:
                raise ReadError(f"the reply has more than {_LARGEST:,} bytes")
        else:
            body.text += chunk[: LONGEST - len(body.text)]
            yield chunk
    if status < 400:
        yield mended(body.text)


def answered(data: Any) -> Any:
    """An answer that another client has read, as DSPy's client can read it; it is kept as in `received`."""
    body = _BODY.get()
    if body is not None:
        body.status, body.data = 200, data
    return readable(data) if isinstance(data, dict) else data


@contextmanager
def with_body() -> Iterator[None]:
    """A block with one request.

    Its error gets the attribute `body` if the request was refused, and `answer` (bytes) if it was answered.

    Raises:
        LMServerError: the answer has something that DSPy's client does not know. The request is not at fault.
        Exception: of the block, with the beginning of a refusal as its message if that is missing.
    """
    body = _Body()
    token = _BODY.set(body)
    try:
        yield
    except Exception as error:
        if body.status is not None and body.status < 400:
            answer = bytes(body.text) or json.dumps(body.data, default=str).encode()
            if isinstance(error, UnsupportedFeatureError | LMUnsupportedFeatureError):
                broken = LMServerError(f"the answer cannot be read: {error}")
                broken.answer = answer
                raise broken from error
            error.answer = answer  # type: ignore[attr-defined]
        elif body.text and isinstance(error, LMError):
            error.body = body.text.decode(errors="replace")
            if not error.message.strip():
                error.args = (f"{error} {error.body[:_SHOWN]}",)
        raise
    finally:
        _BODY.reset(token)
