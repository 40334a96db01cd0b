"""Texts that are nearly the same: four fifths of their four-word pieces are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from worksmith.retrievers.texts.words import words

NEAR = 0.8
"""The Jaccard index of two texts' pieces from which they are near duplicates."""

_PIECE = 4

Pieces = frozenset[tuple[str, ...]]


class NearTexts:
    """Finds near duplicates among texts; numbers and names count as all other words.

    The search is exact. Two texts that share four fifths of their pieces share one of the rarest fifth of
    either, so only these are looked up.

    Args:
        texts: to search, by a name of each.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._texts = [(name, _pieces(text)) for name, text in texts]
        self._counts = Counter(piece for _, pieces in self._texts for piece in pieces)
        self._places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, (_, pieces) in enumerate(self._texts):
            for piece in self._rarest(pieces):
                self._places[piece].append(place)

    def nearest(self, text: str) -> tuple[str, float] | None:
        """The name of the text that is most like `text`, with their Jaccard index; None without any near."""
        pieces = _pieces(text)
        places = sorted({place for piece in self._rarest(pieces) for place in self._places.get(piece, ())})
        found = [(self._texts[place][0], _jaccard(pieces, self._texts[place][1])) for place in places]
        best = max(found, key=lambda pair: pair[1], default=None)
        return best if best is not None and best[1] >= NEAR else None

    def _rarest(self, pieces: Pieces) -> Iterator[tuple[str, ...]]:
        """So many pieces that a near duplicate has at least one of them."""
        ordered = sorted(pieces, key=lambda piece: (self._counts[piece], piece))
        # A near duplicate may lack up to a fifth of them.
        return iter(ordered[: len(pieces) // 5 + 1])


def _jaccard(one: Pieces, other: Pieces) -> float:
    return len(one & other) / len(one | other)


def _pieces(text: str) -> Pieces:
    found = words(text) or [text]
    return frozenset(tuple(found[at : at + _PIECE]) for at in range(max(1, len(found) - _PIECE + 1)))
