"""Keys and values of tokens, kept by the beginnings that prompts share: a radix tree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

import torch

Layers = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values by layer, each of shape (heads, tokens, size)."""


@dataclass(eq=False)
class Segment:
    """Tokens that follow each other, with their keys and values.

    Attributes:
        start: the position of the first token.
        after: the segments that follow it in other sequences, by their first tokens.
        used: when it was last used; higher is later.
    """

    tokens: list[int]
    layers: Layers
    start: int = 0
    after: dict[int, Segment] = field(default_factory=dict)
    used: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    @property
    def size(self) -> int:
        """Bytes of keys and values."""
        return sum(each.nbytes for pair in self.layers for each in pair)

    def part(self, first: int, last: int) -> Self:
        """A copy of some of its tokens; a view would hold the memory of all."""
        layers = [
            (keys[:, first:last].clone(), values[:, first:last].clone()) for keys, values in self.layers
        ]
        return type(self)(self.tokens[first:last], layers, self.start + first, used=self.used)


class Prefixes:
    """Sequences that were read, each beginning once. The one that was used longest ago goes first.

    Args:
        room: bytes that may be kept.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept = 0
        self._root = Segment([], [])
        self._times = itertools.count(1)

    def find(self, tokens: Sequence[int]) -> list[Segment]:
        """The segments of the longest kept beginning of `tokens`."""
        path, segment, place = [], self._root, 0
        while place < len(tokens) and (following := segment.after.get(tokens[place])):
            same = _shared(following.tokens, tokens, place)
            if same < len(following.tokens):
                following = self._split(segment, following, same)
            following.used = next(self._times)
            path.append(following)
            segment, place = following, place + same
        return path

    def keep(self, path: Sequence[Segment], tokens: list[int], layers: Layers) -> list[Segment]:
        """Keep tokens that follow a path, unless the path is kept no longer.

        Returns:
            The path with them.
        """
        start = path[-1].end if path else 0
        found = self.find([*(token for each in path for token in each.tokens), *tokens])
        known = found[-1].end - start if found else 0
        new = Segment(tokens, layers, start, used=next(self._times))
        if known < 0 or (not found and path):
            return [*path, new]
        if known < len(tokens):
            new = new.part(known, len(tokens)) if known else new
            (found[-1] if found else self._root).after[new.tokens[0]] = new
            found.append(new)
            self._kept += new.size
            self._make_room()
        return found

    def _split(self, parent: Segment, segment: Segment, place: int) -> Segment:
        """The first part of a segment, which stands in the tree before the rest of it."""
        first, rest = segment.part(0, place), segment.part(place, len(segment.tokens))
        rest.after = segment.after
        first.after[rest.tokens[0]] = rest
        parent.after[first.tokens[0]] = first
        return first

    def _make_room(self) -> None:
        while self._kept > self._room:
            parent, oldest = min(self._leaves(self._root), key=lambda pair: pair[1].used)
            del parent.after[oldest.tokens[0]]
            self._kept -= oldest.size

    def _leaves(self, segment: Segment) -> Iterator[tuple[Segment, Segment]]:
        for following in segment.after.values():
            if following.after:
                yield from self._leaves(following)
            else:
                yield segment, following


def _shared(kept: Sequence[int], tokens: Sequence[int], place: int) -> int:
    """How many tokens are the same from `place` on."""
    pairs = zip(kept, itertools.islice(tokens, place, None), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(kept), len(tokens) - place))
