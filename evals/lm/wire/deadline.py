"""The end of a request that takes too long: clients limit each wait, so a reply that drips never ends."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from dspy._vendor.lm15.transports import ReadTimeout
from dspy.utils.exceptions import LMTimeoutError

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

USUAL = 600.0
"""Seconds that a whole request may take, unless `total_timeout` or a longer `timeout` is set."""


def seconds_of(total_timeout: float | None, timeout: float | None) -> float:
    """How long a request may take.

    Args:
        timeout: of a single wait, if one is set.
    """
    return total_timeout or max(USUAL, timeout or 0.0)


def within(seconds: float, ask: Callable[[], T]) -> T:
    """What `ask` returns, for a client without such a limit. It is left to itself when the time is over.

    Raises:
        LMTimeoutError: it has not returned.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(ask())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=copy_context().run, args=(run,), daemon=True).start()
    try:
        return done.result(seconds)
    except TimeoutError:
        if done.done():
            raise
        raise _over(LMTimeoutError, seconds) from None


class TimedSocket:
    """A socket from which nothing can be read any more once the time is over.

    Attributes:
        sock: itself, for DSPy's client, which reads from a connection's `sock`.
    """

    def __init__(self, sock: socket.socket, end: float, seconds: float) -> None:
        self.sock = self
        self._socket, self._end, self._seconds, self._wait = sock, end, seconds, seconds

    def settimeout(self, wait: float) -> None:
        self._wait = wait

    def recv(self, size: int) -> bytes:
        left = self._end - time.monotonic()
        if left > 0:
            self._socket.settimeout(min(self._wait, left))
            try:
                return self._socket.recv(size)
            except TimeoutError:
                if self._wait < left:
                    raise
        raise _over(ReadTimeout, self._seconds)


def _over(kind: type[E], seconds: float) -> E:
    error = kind(f"the reply was not complete after {seconds:g} s (total_timeout)")
    error.answer = b""  # type: ignore[attr-defined]  # the server has had the request, and may bill it
    return error
