"""What a text index offers, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Hit(NamedTuple):
    """One text found: its key and how near it is to the query (greater is nearer)."""

    key: str
    score: float


class TextIndex(Protocol):
    """Finds the stored texts nearest to a text. Immutable and thread-safe."""

    def search(self, text: str, k: int, *, exclude: Iterable[str] = ()) -> list[Hit]:
        """The `k` nearest, best first, ties by key, never one of `exclude`."""
        ...
