"""The client between programs and providers: DSPy's own, asked directly, with connections for all workers.

DSPy's `LM` around it looks up a price for every reply, which takes longer than the request; here prices come
once, from `worksmith.evals.lm.prices`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import dspy
from dspy import lm15
from dspy._vendor.lm15.transports import ReadTimeout, StdlibTransport, TransportRequest, TransportResponse
from dspy.clients.backend_selection import BackendSelection
from dspy.clients.call_result import usage_dict
from dspy.clients.engines.lm15_engine import LM15Engine, timeouts_for
from dspy.clients.errors import error_boundary
from dspy.lm15 import RouterConfig, Timeouts

from worksmith.evals.lm.wire.bodies import kept, with_body
from worksmith.evals.lm.wire.settings import WireSettings

_CONNECTIONS = 4096
"""The most at once: a lane or the workers limit requests, not the pool (DSPy's has 100)."""


def native_client(lm: dspy.LM, route: BackendSelection) -> Callable[[lm15.Request], lm15.Response]:
    """A function that asks a provider once. Tokens from a provider's prompt cache count as used.

    Raises of the function:
        LMError: there is no reply.
    """
    provider, clients = route.resolution.provider, route.clients
    url = clients.get("api_base") or clients.get("base_url")
    config = RouterConfig(
        api_keys={provider: clients["api_key"]} if "api_key" in clients else None,
        base_urls={provider: url} if url else None,
        providers=tuple(binding.definition for binding in getattr(lm, "_providers", ())),
        transport=_transport(timeouts_for(clients.get("timeout")), getattr(lm, "wire", None)),
    )
    engine = LM15Engine(config, model_type=lm.model_type)

    def ask(request: lm15.Request) -> lm15.Response:
        with with_body(), error_boundary(lm.model, provider=provider, unexpected=True):
            response: lm15.Response = engine.complete(request)
        counts = usage_dict(response, provider)
        prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
        return replace(response, usage=replace(response.usage, input_tokens=prompt, output_tokens=completion))

    return ask


def _transport(timeouts: Timeouts | None, settings: WireSettings | None) -> StdlibTransport:
    waits = timeouts or Timeouts()
    return _Transport(
        settings.total_timeout if settings is not None else None,
        connect_timeout=waits.connect,
        read_timeout=waits.read,
        write_timeout=waits.write,
        pool_timeout=waits.pool,
        max_connections=_CONNECTIONS,
    )


class _Transport(StdlibTransport):  # type: ignore[misc]
    """DSPy's HTTP connections, with a limit for a whole request, and the bodies of refusals kept.

    Args:
        total: seconds; None for no limit. DSPy's own limits are for each wait: a reply that drips never ends.
    """

    def __init__(self, total: float | None, **settings: Any) -> None:
        super().__init__(**settings)
        self._total = total

    def stream(self, request: TransportRequest) -> TransportResponse:
        response = self._sent(request)
        if response.status >= 400:
            response._chunks = kept(response._chunks)
        return response

    def _sent(self, request: TransportRequest) -> TransportResponse:
        if self._total is None:
            return super().stream(request)
        end = time.monotonic() + self._total
        wait = min(self._total, request.read_timeout or self._read_timeout)
        response = super().stream(replace(request, read_timeout=wait))
        response._chunks = self._until(end, response._chunks)
        return response

    def _until(self, end: float, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            yield chunk
            if time.monotonic() > end:
                raise ReadTimeout(f"the reply was not complete after {self._total:g} s (total_timeout)")
