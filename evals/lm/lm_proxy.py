"""Proxies of models: engines that pass requests on to a model and go by its name."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import dspy
from dspy import lm15
from dspy.clients.backend_selection import CLIENT_KEYS
from dspy.clients.engines.base import validate_request
from dspy.clients.errors import error_boundary
from dspy.lm15 import response_to_events
from dspy.utils.exceptions import LMInvalidRequestError

from worksmith.evals.dspy_programs.digests import model_digest, model_name, plain_settings
from worksmith.evals.lm.escapes import UnmeteredModels, answering
from worksmith.evals.lm.finish_reasons import settled
from worksmith.evals.lm.single_request import LITELLM_KEYS, single_request
from worksmith.tools.canonical import path
from worksmith.tools.errors import InputError
from worksmith.tools.files.unicode import is_writable
from worksmith.tools.seeding import digest


def valid_unicode(message: lm15.Message) -> bool:
    """Whether a reply can be kept and sent back."""
    return is_writable(
        [
            [part.name, part.input] if isinstance(part, lm15.ToolCallPart) else getattr(part, "text", None)
            for part in message.parts
        ]
    )


def check_unicode(response: lm15.Response) -> None:
    """Check that a response can be written to a file, or raise `LMInvalidRequestError`."""
    if not valid_unicode(response.message):
        words = "MALFORMED_RESPONSE: the reply is not valid Unicode"
        raise LMInvalidRequestError(words, model=response.model)


class Sample(NamedTuple):
    """The part of a request's identity that the model does not see.

    Attributes:
        rollout: the rollout id of the call.
        number: of the completion, if one call asks for several.
        cache: whether the reply may come out of a cache.
    """

    rollout: Any = None
    number: int = 0
    cache: bool = False


def current_sample() -> Sample:
    """The part of the request in progress that no model sees, for engines that draw samples."""
    call = _CALL.get()
    return Sample() if call is None else call.next


class ProxyEngine:
    """Base of such engines; a subclass overrides `reply`.

    Attributes:
        counts: whether it counts requests, see `worksmith.evals.lm.metering`.
    """

    counts = False

    def __init__(self, original: dspy.BaseLM) -> None:
        check_askable(original)
        self.original = original
        self._own = model_digest(original)
        self._settings = plain_settings(original)
        self._once = single_request(original)

    def reply(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        return self.ask(request, sample)

    def ask(self, request: lm15.Request, sample: Sample) -> lm15.Response:
        if request.model != self.original.model:
            request = replace(request, model=self.original.model)
        inner = getattr(self.original, "engine", None)
        return (
            inner.reply(request, sample) if isinstance(inner, ProxyEngine) else settled(self._once(request))
        )

    def complete(self, request: lm15.Request) -> lm15.Response:
        call = _CALL.get() or _Call()
        with answering():
            response = self.reply(request, call.next)
        call.answered += 1
        return response

    def stream(self, request: lm15.Request) -> Iterator[Any]:
        yield from response_to_events(self.complete(request))

    def installed(self) -> ProxyLM:
        """A model that answers through this engine, with the original's name and settings."""
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
        lm.kwargs = {
            name: value for name, value in original.kwargs.items() if name not in CLIENT_KEYS | LITELLM_KEYS
        }
        lm.use_developer_role = getattr(original, "use_developer_role", False)
        lm.history = original.history
        return lm

    @property
    def awaited(self) -> _InThread:
        return _InThread(self)

    @property
    def innermost(self) -> dspy.BaseLM:
        """The model behind all proxies."""
        engine = getattr(self.original, "engine", None)
        return engine.innermost if isinstance(engine, ProxyEngine) else self.original

    @property
    def digest(self) -> str:
        """The digest of the original: a proxy does not make it another model."""
        return str(getattr(getattr(self.original, "engine", None), "digest", ""))

    def model_digest(self, settings: dict[str, Any]) -> str:
        """The digest of the original, as long as its own settings hold."""
        changed = {name: value for name, value in settings.items() if self._settings.get(name) != value}
        return digest([self._own, changed]) if changed else self._own

    @property
    def supports_function_calling(self) -> bool:
        return bool(self.original.supports_function_calling)

    @property
    def supported_params(self) -> set[str]:
        return set(self.original.supported_params)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class ProxyLM(dspy.LM):  # type: ignore[misc]
    """A model with a proxy as engine, which learns rollout id and cache setting of each call.

    DSPy leaves the rollout id out of requests, and its cache ignores a model's address and the usage of a
    reply. So DSPy's own lookup is off here.
    """

    def __call__(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:
        with self._calling(kwargs):
            return super().__call__(prompt, messages=messages, **{**kwargs, "cache": False})

    def ask(self, request: lm15.Request, **control: Any) -> lm15.Response:
        """The reply to one request.

        DSPy's own call checks and copies all messages of each request, which takes longer than everything
        else in an agent's step. So it is made only if a callback listens to DSPy's calls.

        Args:
            control: `rollout_id` and `cache`.
        """
        if self._heard():
            response: lm15.Response = self(request, **control)
            return response
        validate_request(request)
        token = _CALL.set(self._call(control))
        try:
            return self.engine.complete(request)
        except Exception:
            with error_boundary(self.model, unexpected=True):
                raise
        finally:
            _CALL.reset(token)

    def _heard(self) -> bool:
        """Whether callbacks, a history, a stream or a user's usage tracker are to learn of a call."""
        settings = dspy.settings
        return bool(
            not settings.disable_history
            or settings.callbacks
            or self.callbacks
            or settings.send_stream is not None
            or not isinstance(settings.usage_tracker, UnmeteredModels | None)
        )

    def _call(self, given: dict[str, Any]) -> _Call:
        rollout = given["rollout_id"] if "rollout_id" in given else self.kwargs.get("rollout_id")
        return _Call(rollout, cache=bool(given.get("cache", self.cache)))

    async def acall(self, prompt: Any = None, *, messages: Any = None, **kwargs: Any) -> Any:
        with self._calling(kwargs):
            return await super().acall(prompt, messages=messages, **{**kwargs, "cache": False})

    def dump_state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.engine.innermost.dump_state()
        return state

    @contextmanager
    def _calling(self, given: dict[str, Any]) -> Iterator[None]:
        token = _CALL.set(self._call(given))
        known = isinstance(dspy.settings.usage_tracker, UnmeteredModels)
        try:
            with dspy.context(usage_tracker=None) if known else nullcontext():
                yield
        finally:
            _CALL.reset(token)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def check_askable(lm: Any) -> None:
    """Check that a proxy can count all requests of a model.

    Raises:
        InputError: its requests would go round the engine, or have another form than an engine takes.
    """
    name = model_name(lm)
    if not isinstance(lm, dspy.BaseLM):
        raise InputError(f"{name} is not a dspy.LM, so its requests cannot be counted", where=path(type(lm)))
    own = [call for call in ("__call__", "acall") if _overrides(lm, call)]
    if own:
        raise InputError(
            f"{name} has a {own[0]} of its own, so its requests cannot be counted",
            where=path(type(lm)),
            hint="write forward(), or an engine for dspy.LM(engine=...)",
        )
    if lm.model_type == "text":
        raise InputError(
            f"{name} completes texts, and requests to such models cannot be counted",
            where="model_type",
            hint='use "chat" or "responses"',
        )


def _overrides(lm: Any, name: str) -> bool:
    kind = type(lm)
    return getattr(kind, name) is not getattr(dspy.BaseLM, name) and not issubclass(kind, ProxyLM)


@dataclass
class _Call:
    rollout: Any = None
    cache: bool = False
    answered: int = 0

    @property
    def next(self) -> Sample:
        return Sample(self.rollout, self.answered, self.cache)


_CALL: ContextVar[_Call | None] = ContextVar("worksmith_model_call", default=None)


def _says_more(said: logging.LogRecord) -> bool:
    return _CALL.get() is None or "truncated" not in said.getMessage()


# DSPy warns about each cut-off reply; here the records have it.
logging.getLogger("dspy.clients.lm").addFilter(_says_more)


class _InThread:
    """A proxy engine for `await`."""

    def __init__(self, engine: ProxyEngine) -> None:
        self.engine = engine

    async def complete(self, request: lm15.Request) -> lm15.Response:
        return await asyncio.to_thread(self.engine.complete, request)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
