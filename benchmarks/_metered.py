"""A model behind a meter: calls are counted where they arrive, may take a while, and may come out spoiled."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response


class MeteredEngine:
    """Asks an engine, and counts. Thread-safe.

    Args:
        latency: seconds that each reply takes longer.
        spoiled: the share of replies whose text breaks off half way. Which ones depends on the request only,
            so equal requests get equal replies, whoever sends them and in whatever order.

    Attributes:
        calls: so many requests have arrived.
    """

    def __init__(self, engine: Any, *, latency: float = 0.0, spoiled: float = 0.0) -> None:
        self._engine, self.latency, self._spoiled = engine, latency, spoiled
        self._lock = threading.Lock()
        self.calls = 0

    @classmethod
    def around(cls, lm: dspy.LM, *, latency: float = 0.0, spoiled: float = 0.0) -> dspy.LM:
        """The same model behind a meter, which is its `engine`."""
        metered: dspy.LM = lm.copy(
            engine=cls(lm.engine, latency=latency, spoiled=spoiled), cache=False, num_retries=0
        )
        return metered

    @property
    def digest(self) -> str:
        """Of the engine, and of what happens to its replies."""
        return f"{getattr(self._engine, 'digest', '')}-spoiled-{self._spoiled:g}"

    @property
    def supports_function_calling(self) -> bool:
        """Whether the engine does."""
        return bool(getattr(self._engine, "supports_function_calling", False))

    def complete(self, request: Request) -> Response:
        """The engine's reply, late, and spoiled if that is its lot."""
        with self._lock:
            self.calls += 1
        if self.latency:
            time.sleep(self.latency)
        response: Response = self._engine.complete(request)
        if self._spoiled and rng(0, "spoiled", _text(request.messages)).random() < self._spoiled:
            return _broken_off(response)
        return response

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _text(messages: Any) -> str:
    return "\n".join(getattr(part, "text", "") for message in messages for part in message.parts)


def _broken_off(response: Response) -> Response:
    from dspy.lm15 import Message, TextPart

    text = _text([response.message])
    return replace(response, message=Message.assistant([TextPart(text[: len(text) // 2])]))
