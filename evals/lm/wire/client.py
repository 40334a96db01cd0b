"""The client between programs and providers: DSPy's own, asked directly, with connections for all workers.

DSPy's `LM` around it looks up a price for every reply, which takes longer than the request; here prices come
once, from `worksmith.evals.lm.prices`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import dspy
from dspy import lm15
from dspy._vendor.lm15.transports import StdlibTransport, TransportRequest, TransportResponse
from dspy.clients.backend_selection import BackendSelection
from dspy.clients.call_result import usage_dict
from dspy.clients.engines.lm15_engine import LM15Engine, timeouts_for
from dspy.clients.errors import error_boundary
from dspy.lm15 import RouterConfig, Timeouts

from worksmith.evals.lm.wire.bodies import received, with_body
from worksmith.evals.lm.wire.deadline import TimedSocket, seconds_of

CONNECTIONS = 4096
"""The most at once: a lane or the workers limit requests, not the pool (DSPy's has 100)."""


def native_client(lm: dspy.LM, route: BackendSelection) -> Callable[[lm15.Request], lm15.Response]:
    """A function that asks a provider once. Tokens from a provider's prompt cache count as used.

    Raises of the function:
        LMError: no reply came.
    """
    provider, clients = route.resolution.provider, route.clients
    timeouts = timeouts_for(clients.get("timeout"))
    waits = timeouts or Timeouts()
    url = clients.get("api_base") or clients.get("base_url")
    config = RouterConfig(
        api_keys={provider: clients["api_key"]} if "api_key" in clients else None,
        base_urls={provider: url} if url else None,
        providers=tuple(binding.definition for binding in getattr(lm, "_providers", ())),
        transport=_Transport(
            total_seconds(lm, timeouts),
            connect_timeout=waits.connect,
            read_timeout=waits.read,
            write_timeout=waits.write,
            pool_timeout=waits.pool,
            max_connections=CONNECTIONS,
        ),
    )
    engine = LM15Engine(config, model_type=lm.model_type)

    def ask(request: lm15.Request) -> lm15.Response:
        with with_body(), error_boundary(lm.model, provider=provider, unexpected=True):
            response: lm15.Response = engine.complete(request)
        counts = usage_dict(response, provider)
        prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
        return replace(response, usage=replace(response.usage, input_tokens=prompt, output_tokens=completion))

    return ask


def total_seconds(lm: dspy.LM, timeouts: Timeouts | None) -> float:
    """How long a request to a model may take with all of its reply."""
    settings = getattr(lm, "wire", None)
    return seconds_of(getattr(settings, "total_timeout", None), timeouts.read if timeouts else None)


class _Transport(StdlibTransport):  # type: ignore[misc]
    """DSPy's HTTP connections, with a limit for a whole request, and bodies kept and mended.

    Args:
        total: seconds of a request.
    """

    def __init__(self, total: float, **settings: Any) -> None:
        super().__init__(**settings)
        self._total = total
        self._request = threading.local()

    def stream(self, request: TransportRequest) -> TransportResponse:
        self._request.end = time.monotonic() + self._total
        response = super().stream(request)
        response._chunks = received(response.status, response._chunks)
        return response

    def _read_head(self, conn: Any, **settings: Any) -> Any:
        return super()._read_head(self._timed(conn), **settings)

    def _iter_body(self, conn: Any, *given: Any, **settings: Any) -> Iterator[bytes]:
        chunks: Iterator[bytes] = super()._iter_body(self._timed(conn), *given, **settings)
        return chunks

    def _timed(self, conn: Any) -> TimedSocket:
        return TimedSocket(conn.sock, self._request.end, self._total)
