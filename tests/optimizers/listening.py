"""A model that follows gold plans and remembers its requests."""

from __future__ import annotations

from typing import Any

from dspy import lm15

from worksmith.programs.replaying.scripted import GoldEngine


class Listening(GoldEngine):
    """Remembers what it was asked."""

    def __init__(self, tasks: Any) -> None:
        super().__init__(tasks)
        self.requests: list[lm15.Request] = []

    def complete(self, request: lm15.Request) -> lm15.Response:
        self.requests.append(request)
        return super().complete(request)
