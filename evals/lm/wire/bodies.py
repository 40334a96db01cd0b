"""The bodies of refusals. DSPy's client reads one form of them and drops the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dspy.utils.exceptions import LMError

LONGEST = 20_000
"""Bytes of a body that are kept."""

_SHOWN = 500
"""Characters of a body that are shown where the client finds no message in it."""

_KEPT: ContextVar[bytearray | None] = ContextVar("kept_body", default=None)


def kept(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks of a body, which is kept for the error that `with_body` lets through."""
    body = _KEPT.get()
    for chunk in chunks:
        if body is not None:
            body += chunk[: LONGEST - len(body)]
        yield chunk


@contextmanager
def with_body() -> Iterator[None]:
    """A block with one request; its error gets the attribute `body`.

    Raises:
        LMError: of the block, with the beginning of the body as its message if it has none.
    """
    body = bytearray()
    token = _KEPT.set(body)
    try:
        yield
    except LMError as error:
        if body:
            error.body = body.decode(errors="replace")
            if not error.message.strip():
                error.args = (f"{error} {error.body[:_SHOWN]}",)
        raise
    finally:
        _KEPT.reset(token)
