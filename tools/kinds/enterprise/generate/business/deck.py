"""Drawing without repetition."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import TypeVar

Entry = TypeVar("Entry")


class Deck:
    """Draws from lists so that an entry comes again only after all others of its list have come.

    Args:
        numbers: decides the order of each round.
    """

    def __init__(self, numbers: random.Random) -> None:
        self._numbers = numbers
        self._rounds: dict[Hashable, list[int]] = {}

    def draw(self, name: Hashable, entries: Sequence[Entry]) -> Entry:
        """The next entry of the list called `name`, which has the same entries each time."""
        left = self._rounds.setdefault(name, [])
        if not left:
            left.extend(range(len(entries)))
            self._numbers.shuffle(left)
        return entries[left.pop()]
