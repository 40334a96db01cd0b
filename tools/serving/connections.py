"""Connections of the server: their time of silence, and the choice of those that end when there are too many.

uvicorn waits without end for a first request, and counts silent ones among those that it serves. So
a few silent connections, which need no token, would block all others.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

LET_IN = "let_in"
"""The state of a request that had the token."""


class Connection(H11Protocol):
    """A connection that is closed if it sends no whole request in time, or makes room for a newer one.

    The oldest connection without the token makes room. There are too many from
    uvicorn's `limit_concurrency` on.
    """

    patience: float = 10.0
    """Seconds that the head of a request may take, from its first byte or since the connection was made."""

    _waiting: asyncio.TimerHandle | None = None

    @property
    def known(self) -> bool:
        return self._was_let_in or bool(self.scope and self.scope["state"].get(LET_IN))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._was_let_in = False
        self._since = self.loop.time()
        super().connection_made(transport)
        self._wait()
        if len(self.connections) >= (self.limit_concurrency or math.inf):
            unknown = [
                each
                for each in self.connections
                if isinstance(each, Connection) and each is not self and not each.known
            ]
            if unknown:
                min(unknown, key=lambda each: each._since).hang_up()

    def data_received(self, data: bytes) -> None:
        self._was_let_in = self.known
        super().data_received(data)
        if self.busy:
            self._stop_waiting()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Called by uvicorn. A client without the token keeps no connection for another request."""
        if self.known:
            super().on_response_complete()
        else:
            self.server_state.total_requests += 1
            self.transport.close()

    def hang_up(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    @property
    def busy(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.patience, self.hang_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
