"""Asking a model with one request: neither DSPy nor the provider's client tries again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dspy
from dspy import lm15
from dspy.clients.backend_selection import select_backend
from dspy.clients.engines.lm15_engine import timeouts_for
from dspy.utils import DummyLM
from dspy.utils.exceptions import LMUnsupportedFeatureError

from worksmith.evals.lm.prompt_cache import Mark, compatible_mark, native_mark, with_cache_writes
from worksmith.evals.lm.wire.bodies import answered, with_body
from worksmith.evals.lm.wire.client import native_client, total_seconds
from worksmith.evals.lm.wire.compatible import CompatibleEngine
from worksmith.evals.lm.wire.deadline import within

_WITHOUT_VERSION = ("anthropic/", "ollama/", "ollama_chat/")
"""Models whose addresses LiteLLM takes without the `/v1` that DSPy's own client needs."""

Ask = Callable[[lm15.Request], lm15.Response]

LITELLM_KEYS = frozenset({"aws_region_name"})
"""Settings of LiteLLM's connections that DSPy does not know as such."""


def single_request(lm: dspy.BaseLM) -> Ask:
    engine = getattr(lm, "engine", None)
    own = any(
        name in vars(lm) or getattr(type(lm), name) is not getattr(dspy.LM, name)
        for name in ("forward", "aforward")
    )
    if own:
        return _asking(lm if type(lm) is DummyLM else _OwnForward(lm))
    if engine is not None and not isinstance(engine, str):
        complete: Ask = engine.complete
        return complete
    route = select_backend(lm)
    native = None
    if route.native:
        native = _marking(native_mark(lm, route.resolution.provider), native_client(lm, route))
    if engine == "lm15" or (native is not None and route.resolution.declared):
        assert native is not None
        return native
    compatible = CompatibleEngine(model_type=lm.model_type, **route.clients)
    seconds = total_seconds(lm, timeouts_for(route.clients.get("timeout")))
    own_keys = {name: value for name, value in lm.kwargs.items() if name in LITELLM_KEYS}
    compatible.client_options.update(own_keys)
    base = compatible.client_options.get("api_base")
    if base and lm.model.startswith(_WITHOUT_VERSION):
        compatible.client_options["api_base"] = base.rstrip("/").removesuffix("/v1")
    # LiteLLM hands it to the provider's client, which tries three times otherwise.
    compatible.client_options["max_retries"] = 0
    # Else LiteLLM imports the package `mcp`, which it does not bring, to see whether a tool is MCP's.
    compatible.client_options["_skip_mcp_handler"] = True

    def ask(request: lm15.Request) -> lm15.Response:
        if native is not None:
            try:
                return native(request)
            except LMUnsupportedFeatureError:
                pass  # known before anything is sent; DSPy goes on with LiteLLM as well
        with with_body():
            return with_cache_writes(within(seconds, lambda: compatible.complete(mark(request))))

    mark = compatible_mark(lm)
    return ask


def _marking(mark: Mark, asks: Ask) -> Ask:
    return lambda request: asks(mark(request))


class _OwnForward(dspy.BaseLM):  # type: ignore[misc]
    """A model with its own `forward`, whose replies may be objects of any client.

    DSPy's own `forward`, if it calls that, neither caches nor tries again. DSPy 3.5 takes no such models.
    """

    def __init__(self, lm: dspy.BaseLM) -> None:
        super().__init__(lm.model, lm.model_type, cache=False, num_retries=0)
        self.kwargs = dict(lm.kwargs)
        self._lm = lm.copy(cache=False, num_retries=0) if isinstance(lm, dspy.LM) else lm

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        return answered(_plain(self._lm.forward(prompt=prompt, messages=messages, **kwargs)))


def _plain(reply: Any) -> Any:
    if isinstance(reply, lm15.Response):
        return reply
    if isinstance(reply, Mapping):
        return {name: _plain(value) for name, value in reply.items()}
    if isinstance(reply, list | tuple):
        return [_plain(value) for value in reply]
    if hasattr(reply, "model_dump"):
        return reply.model_dump()
    return _plain(vars(reply)) if hasattr(reply, "__dict__") else reply


def _asking(lm: dspy.BaseLM) -> Ask:
    """Ask a model as DSPy does, without its callbacks, history and usage tracker."""

    def ask(request: lm15.Request) -> lm15.Response:
        quiet = dspy.context(usage_tracker=None, disable_history=True, callbacks=[], send_stream=None)
        with with_body(), quiet:
            response: lm15.Response = lm(request, cache=False)
        return response

    return ask
