"""What programs in a race must keep beside their scores."""

from __future__ import annotations

from typing import Protocol


class Bounds(Protocol):
    """What arms must keep beside their scores."""

    def lost(self, name: str) -> str:
        """What an arm cannot keep any more, whatever its next scores; empty if nothing."""
        ...

    def kept(self, name: str) -> bool:
        """Whether it keeps everything on the tasks that it has met."""
        ...


class Unbounded:
    """No bounds."""

    def lost(self, name: str) -> str:
        """Never anything."""
        return ""

    def kept(self, name: str) -> bool:
        """Always."""
        return True
