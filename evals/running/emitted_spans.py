"""The spans that a program's framework emits through OpenTelemetry while an episode runs.

They are found by the context in which they begin: that of the episode's thread, of tasks and threads that got
a copy of it, or below a span that was found. MLflow's tracing is OpenTelemetry with its own provider.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from worksmith.tools.episode_result import SpanRecord
from worksmith.tools.files.secrets import without_secrets
from worksmith.tools.files.unicode import writable

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

MOST_SPANS = 200
"""Spans of an episode that a record keeps: the first ones."""

LONGEST_VALUE = 2_000
"""Characters of an attribute that a record keeps."""

MOST_TEXT = 50_000
"""Characters of all attributes of an episode that a record keeps."""

_LOOKED_AT = 20_000
_LONGEST_NAME = 200

_KEPT = re.compile(
    r"gen_ai\.(?!tool\.definitions)|mlflow\.span(Type|Inputs|Outputs)$|(input|output)\.value$|openinference\.span\.kind$"
)
"""Each request would repeat the definitions of its tools."""

_current: ContextVar[EmittedSpans | None] = ContextVar("worksmith_episode", default=None)
_owners: dict[int, EmittedSpans] = {}
"""The episodes in flight by the ids of their spans."""

_heard: WeakSet[Any] = WeakSet()
_listening, _lock = threading.Lock(), threading.Lock()


class EmittedSpans:
    """The spans of one episode, in the order of their beginnings. Thread-safe."""

    def __init__(self) -> None:
        self._begin = time.time_ns()
        self._spans: dict[int, ReadableSpan] = {}
        self._over = False

    def add(self, span: ReadableSpan) -> None:
        """Take a span that has begun, unless the episode is over or has too many."""
        with _lock:
            if not self._over and span.context and len(self._spans) < MOST_SPANS:
                self._spans[span.context.span_id] = span
                _owners[span.context.span_id] = self

    def end(self) -> None:
        with _lock:
            self._over = True
            for number in self._spans:
                _owners.pop(number, None)

    def records(self) -> tuple[SpanRecord, ...]:
        """The kept parts of the spans; one that has not ended lasts until now."""
        left, now = MOST_TEXT, time.time_ns()
        places = {number: place for place, number in enumerate(self._spans)}
        found = []
        for span in self._spans.values():
            begin = min(max(span.start_time or now, self._begin), now)
            attributes = {}
            for name, value in _copied(span).items():
                if _KEPT.match(name) and left > 0:
                    attributes[name] = _cut(value, min(LONGEST_VALUE, left))
                    left -= len(str(attributes[name]))
            error = span.status.description or "failed" if span.status.status_code.name == "ERROR" else ""
            found.append(
                SpanRecord(
                    name=_clean(span.name)[:_LONGEST_NAME],
                    parent=places.get(span.parent.span_id) if span.parent else None,
                    start=(begin - self._begin) / 1e9,
                    seconds=max(0, (span.end_time or now) - begin) / 1e9,
                    error=_clean(error)[:LONGEST_VALUE],
                    attributes=attributes,
                )
            )
        return tuple(found)


@contextmanager
def emitted_spans() -> Iterator[EmittedSpans]:
    """Collect the spans that begin in this block."""
    with _listening:
        for provider in _providers():
            if provider not in _heard and hasattr(provider, "add_span_processor"):
                provider.add_span_processor(_processor())
                _heard.add(provider)
    found = EmittedSpans()
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)
        found.end()


def _providers() -> Iterator[Any]:
    """The provider of the process, which is made if it is missing, and that of MLflow."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    yield trace.get_tracer_provider()
    if "mlflow.tracing.provider" in sys.modules:
        from mlflow.tracing.provider import provider

        if _autologging():  # which would make the provider with its first span; that takes a second
            provider.get_or_init_tracer(__name__)
        if provider.get() is not None:
            yield provider.get()


def _autologging() -> bool:
    logging = sys.modules.get("mlflow.utils.autologging_utils")
    settings = logging.AUTOLOGGING_INTEGRATIONS.values() if logging is not None else ()
    return any(each and not each.get("disable", False) for each in settings)


@cache
def _processor() -> SpanProcessor:
    from opentelemetry.sdk.trace import SpanProcessor

    class Collecting(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            above = span.parent.span_id if span.parent else 0
            episode = _current.get() or _owners.get(above)
            if episode is not None:
                episode.add(span)

    return Collecting()


def _copied(span: ReadableSpan) -> dict[str, Any]:
    """The attributes in one step: a thread that the agent left behind may still set some."""
    return cast("dict[str, Any]", span.attributes or {}).copy()


def _cut(value: Any, longest: int) -> str | int | float | bool:
    if isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return _clean(text)[:longest]


def _clean(text: str) -> str:
    return writable(without_secrets(text[:_LOOKED_AT]))
