"""Engines that stand in for a model: they pass its requests on, and are taken for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import dspy
from dspy import lm15
from dspy.clients.backend_selection import CLIENT_KEYS, select_backend
from dspy.clients.call_result import usage_dict
from dspy.clients.engines.litellm_engine import LiteLLMEngine
from dspy.lm15 import response_to_events
from dspy.utils.exceptions import LMInvalidRequestError, LMUnsupportedFeatureError
from dspy.utils.usage_tracker import UsageTracker

from evals.dspy_programs.digests import model_digest, model_name, plain_settings
from evals.lm.finish_reasons import settled
from tools.errors import InputError
from tools.files.unicode import is_writable
from tools.seeding import digest


def valid_unicode(message: lm15.Message) -> bool:
    """Whether a reply can be kept and sent back."""
    return is_writable(
        [
            [part.name, part.input] if isinstance(part, lm15.ToolCallPart) else getattr(part, "text", None)
            for part in message.parts
        ]
    )


def check_unicode(response: lm15.Response) -> None:
    """See that a response can be written to a file.

    Raises:
        LMInvalidRequestError: it cannot; see `evals.lm.failures` for what that makes of an episode.
    """
    if not valid_unicode(response.message):
        said = "MALFORMED_RESPONSE: the reply is not valid Unicode"
        raise LMInvalidRequestError(said, model=response.model)


class Sample(NamedTuple):
    """What tells apart samples of one request, of which the model is not told.

    Attributes:
        rollout: the rollout id of the call.
        number: of the completion, where one call asks for several.
        cache: whether the reply may come out of a cache.
    """

    rollout: Any = None
    number: int = 0
    cache: bool = False


class ProxyEngine:
    """Base of such engines. What it does with a request and its reply besides is for those who inherit.

    Attributes:
        original: the model that is asked.
        counts: whether it counts what it is asked, see `evals.lm.metering`.
    """

    counts = False

    def __init__(self, original: dspy.BaseLM) -> None:
        self.original = original
        self._own = model_digest(original)
        self._settings = plain_settings(original)
        self._once = _once(original)

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        """The reply to one request."""
        return self.ask(request, sample)

    def ask(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        """What the original replies when it is asked once."""
        request = replace(request, model=self.original.model)
        inner = getattr(self.original, "engine", None)
        return (
            inner.reply(request, sample) if isinstance(inner, ProxyEngine) else settled(self._once(request))
        )

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply, for DSPy."""
        call = _CALL.get() or _Call()
        response = self.reply(request, call.next)
        call.answered += 1
        return response

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        """The reply in one piece, for who listens to a stream."""
        yield from response_to_events(self.complete(request))

    def installed(self) -> ProxyLM:
        """A model that answers through this engine, under the original's name and with its settings."""
        original = self.original
        lm = ProxyLM(
            original.model,
            original.model_type,
            cache=original.cache,
            callbacks=list(original.callbacks),
            num_retries=0,
            engine=self,
            async_engine=self.awaited,
        )
        # What configures the connection stays with the original; an engine owns its own.
        lm.kwargs = {name: value for name, value in original.kwargs.items() if name not in CLIENT_KEYS}
        lm.use_developer_role = getattr(original, "use_developer_role", False)
        lm.history = original.history
        return lm

    @property
    def awaited(self) -> _InThread:
        """The same engine for who awaits replies."""
        return _InThread(self)

    @property
    def innermost(self) -> dspy.BaseLM:
        """The model behind all that stand in for it."""
        engine = getattr(self.original, "engine", None)
        return engine.innermost if isinstance(engine, ProxyEngine) else self.original

    @property
    def digest(self) -> str:
        """Of the original: standing in for it does not make it another one."""
        return str(getattr(getattr(self.original, "engine", None), "digest", ""))

    def model_digest(self, settings: dict[str, Any]) -> str:
        """Of the original, as long as it is asked under its own settings."""
        changed = {name: value for name, value in settings.items() if self._settings.get(name) != value}
        return digest([self._own, changed]) if changed else self._own

    @property
    def supports_function_calling(self) -> bool:
        """Whether the original does."""
        return bool(self.original.supports_function_calling)

    @property
    def supported_params(self) -> set[str]:
        """The settings that the original takes."""
        return set(self.original.supported_params)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class UnmeteredModels(UsageTracker):  # type: ignore[misc]
    """Refuses models that are asked without our engine; DSPy reports each of them here."""

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Refuse a model that has just been asked.

        Raises:
            InputError: always.
        """
        raise InputError(
            f"{lm} was asked, but not through the engine that counts requests",
            hint="give the model to a predictor or an attribute of the program when it is built",
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class ProxyLM(dspy.LM):  # type: ignore[misc]
    """A model with an engine that stands in for it, and that is told of the call a request belongs to.

    DSPy leaves the rollout id out of requests, and its cache knows neither a model's address nor what a reply
    took. So DSPy's own lookup is left out here, and the engine is told whether a cache may answer.
    """

    def __call__(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:
        """As DSPy's, but its cache is not asked."""
        with self._calling(kwargs):
            return super().__call__(prompt, messages=messages, **{**kwargs, "cache": False})

    async def acall(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:
        """As a call, awaited."""
        with self._calling(kwargs):
            return await super().acall(prompt, messages=messages, **{**kwargs, "cache": False})

    def dump_state(self) -> dict[str, Any]:
        """The state of the model behind it."""
        state: dict[str, Any] = self.engine.innermost.dump_state()
        return state

    @contextmanager
    def _calling(self, given: dict[str, Any]) -> Iterator[None]:
        rollout = {**self.kwargs, **given}.get("rollout_id")
        token = _CALL.set(_Call(rollout, cache=bool(given.get("cache", self.cache))))
        known = isinstance(dspy.settings.usage_tracker, UnmeteredModels)
        try:
            with dspy.context(usage_tracker=None) if known else nullcontext():
                yield
        finally:
            _CALL.reset(token)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def check_askable(lm: Any) -> None:
    """See that an engine can stand in for a model.

    Raises:
        InputError: its requests would go round the engine, or have no form that an engine can take.
    """
    name = model_name(lm)
    if not isinstance(lm, dspy.BaseLM):
        raise InputError(f"{name} is no dspy.LM, so what it is asked cannot be counted", where=_class(lm))
    own = [call for call in ("__call__", "acall") if _overrides(lm, call)]
    if own:
        raise InputError(
            f"{name} has a {own[0]} of its own, so what it is asked cannot be counted",
            where=_class(lm),
            hint="write forward(), or an engine for dspy.LM(engine=...)",
        )
    if lm.model_type == "text":
        raise InputError(
            f"{name} completes texts, and what is asked of such models cannot be counted",
            where="model_type",
            hint='use "chat" or "responses"',
        )


def _overrides(lm: Any, name: str) -> bool:
    kind = type(lm)
    return getattr(kind, name) is not getattr(dspy.BaseLM, name) and not issubclass(kind, ProxyLM)


def _class(lm: Any) -> str:
    return f"{type(lm).__module__}.{type(lm).__qualname__}"


@dataclass
class _Call:
    """A call of a model that is under way."""

    rollout: Any = None
    cache: bool = False
    answered: int = 0

    @property
    def next(self) -> Sample:
        return Sample(self.rollout, self.answered, self.cache)


_CALL: ContextVar[_Call | None] = ContextVar("worksmith_model_call", default=None)


class _InThread:
    """The same engine for who awaits it."""

    def __init__(self, engine: ProxyEngine) -> None:
        self.engine = engine

    async def complete(self, request: lm15.Request) -> lm15.Response:
        return await asyncio.to_thread(self.engine.complete, request)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _once(lm: dspy.BaseLM) -> Callable[[lm15.Request], lm15.Response]:
    """Asks a model with one request: neither DSPy nor the provider's client tries again."""
    check_askable(lm)
    engine = getattr(lm, "engine", None)
    own = any(
        name in vars(lm) or getattr(type(lm), name) is not getattr(dspy.LM, name)
        for name in ("forward", "aforward")
    )
    if own:
        return _asking(_OwnForward(lm))
    if engine is not None and not isinstance(engine, str):
        complete: Callable[[lm15.Request], lm15.Response] = engine.complete
        return complete
    route = select_backend(lm)
    native = _native(lm, route.resolution.provider) if route.native else None
    if engine == "lm15" or (native is not None and route.resolution.declared):
        assert native is not None
        return native
    compatible = LiteLLMEngine(model_type=lm.model_type, **route.clients)
    # LiteLLM hands it to the provider's client, which tries three times otherwise.
    compatible.client_options["max_retries"] = 0

    def ask(request: lm15.Request) -> lm15.Response:
        if native is not None:
            try:
                return native(request)
            except LMUnsupportedFeatureError:
                pass  # known before anything is sent; DSPy goes on with LiteLLM as well
        return compatible.complete(request)

    return ask


def _native(lm: dspy.LM, provider: str) -> Callable[[lm15.Request], lm15.Response]:
    """Asks through DSPy's own client; tokens out of a provider's prompt cache count as used."""
    asking = _asking(lm.copy(callbacks=[], num_retries=0, engine="lm15"))

    def ask(request: lm15.Request) -> lm15.Response:
        response = asking(request)
        counts = usage_dict(response, provider)
        prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
        return replace(response, usage=replace(response.usage, input_tokens=prompt, output_tokens=completion))

    return ask


class _OwnForward(dspy.BaseLM):  # type: ignore[misc]
    """A model with a `forward` of its own, whose replies may be objects of any client.

    What it hands on to DSPy's own `forward` is neither cached nor tried again there.
    """

    def __init__(self, lm: dspy.BaseLM) -> None:
        super().__init__(lm.model, lm.model_type, cache=False, num_retries=0)
        self.kwargs = dict(lm.kwargs)
        self._lm = lm.copy(cache=False, num_retries=0) if isinstance(lm, dspy.LM) else lm

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        """The reply as plain data."""
        return _plain(self._lm.forward(prompt=prompt, messages=messages, **kwargs))


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


def _asking(lm: dspy.BaseLM) -> Callable[[lm15.Request], lm15.Response]:
    """Asks a model as DSPy does, but what is counted here is not counted again."""

    def ask(request: lm15.Request) -> lm15.Response:
        with dspy.context(usage_tracker=None, disable_history=True, callbacks=[], send_stream=None):
            response: lm15.Response = lm(request, cache=False)
        return response

    return ask
