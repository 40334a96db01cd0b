"""What the questions of one episode to models took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from programs.adapter import UnreadableReplyError
from programs.exchange import Wire, kept_in
from tools.episode import AskRecord, Part

Usage = Mapping[str, Sequence[Mapping[str, Any]]]
"""Lists of usage entries by model, as DSPy tracks them."""


class Questions(list[AskRecord]):
    """The questions so far, in order.

    Args:
        usage: to which DSPy adds an entry as a model replies; of replies out of a cache it adds none.
        cache: whether the models' replies may come out of one.
    """

    def __init__(self, usage: Usage, *, cache: bool) -> None:
        super().__init__()
        self._usage = usage
        self._cache = cache
        self._seen: dict[str, int] = {}
        self._sent: dict[Part, Sequence[Any]] = {}

    @property
    def totals(self) -> tuple[int, int]:
        """Prompt and completion tokens of everything that models said in the episode."""
        return _tokens([entry for entries in self._usage.values() for entry in entries])

    @contextmanager
    def asking(self, part: Part, call: int) -> Iterator[None]:
        """Keep what the question in this block takes, whatever comes of it.

        Args:
            part: of the program that asks.
            call: how many tool calls have been made.
        """
        started, cache = time.perf_counter(), self._cache
        wire = Wire()
        try:
            with kept_in(wire):
                yield
        except UnreadableReplyError:
            raise
        except Exception:
            cache = False
            raise
        finally:
            used = self._used()
            prompt, completion = _tokens(used)
            cached = cache and not used
            seconds = time.perf_counter() - started
            exchange = wire.exchange(self._sent.get(part, ()))
            self._sent[part] = wire.sent
            self.append(
                AskRecord(part, call, prompt, completion, cached, seconds, exchange, wire.finish_reason)
            )

    def _used(self) -> list[Mapping[str, Any]]:
        """The entries that came since the last question."""
        new: list[Mapping[str, Any]] = []
        for model, entries in self._usage.items():
            new.extend(entries[self._seen.get(model, 0) :])
            self._seen[model] = len(entries)
        return new


def _tokens(used: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Prompt and completion tokens of usage entries."""
    prompt = sum(entry.get("prompt_tokens") or 0 for entry in used)
    return prompt, sum(entry.get("completion_tokens") or 0 for entry in used)
