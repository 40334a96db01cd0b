"""Values that are lists: several parts with a separator between them, each explained on its own."""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = "; "


def parts(text: str) -> tuple[str, ...]:
    """The parts of a listed value; one part if it is no list."""
    return tuple(text.split(SEPARATOR))


def usual_length(texts: Iterable[tuple[str, float]]) -> int:
    """The number of parts of most of the weighted texts; of equals, the fewer."""
    votes: dict[int, float] = {}
    for text, weight in texts:
        size = len(parts(text))
        votes[size] = votes.get(size, 0.0) + weight
    return min(votes, key=lambda size: (-votes[size], size)) if votes else 1
