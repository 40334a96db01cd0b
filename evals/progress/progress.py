"""Progress reports of a running job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Tick(Protocol):
    """Takes how much of a step is done, of how much in all, the part, what is in flight, and more words."""

    def __call__(
        self, done: int, total: int | None, part: str = "", in_flight: int = 0, said: str = ""
    ) -> None: ...


class Progress:
    """Hears of a job as it goes. This one is silent; a command line or a notebook has one that speaks."""

    def say(self, message: str) -> None:
        """Take a sentence that is not the result."""

    @contextmanager
    def bar(self, label: str) -> Iterator[Tick]:
        """Follow one step of the job."""
        yield lambda done, total, part="", in_flight=0, said="": None


SILENT = Progress()
