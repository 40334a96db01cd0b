"""What the questions of one episode to models took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evals.lm.metering import metering
from programs.prompting.exchange import Wire, kept_in
from tools.episode_result import AskRecord, Part, Usage


class Questions(list[AskRecord]):
    """The questions so far, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: dict[Part, Sequence[Any]] = {}

    @property
    def usage(self) -> Usage:
        """What they took together."""
        return sum((ask.usage for ask in self), start=Usage())

    @contextmanager
    def asking(self, part: Part, call: int) -> Iterator[None]:
        """Keep what the question in this block takes, whatever comes of it.

        Args:
            part: of the program that asks.
            call: how many tool calls have been made.
        """
        started = time.perf_counter()
        wire = Wire()
        with metering() as meter:
            try:
                with kept_in(wire):
                    yield
            finally:
                seconds = time.perf_counter() - started
                exchange = wire.exchange(self._sent.get(part, ()))
                self._sent[part] = wire.sent
                self.append(AskRecord(part, call, meter.usage, seconds, exchange, wire.finish_reason))
