"""Finding the phrases of a table in texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Owner = TypeVar("Owner")

_SLOT = re.compile(r"\\\{\w+\\\}")


class Phrases(Generic[Owner]):
    """Which phrases of a table stand in a text, and to what they belong.

    Args:
        pairs: phrases and their owners; several may own a phrase. A `{slot}` stands for anything short.
    """

    def __init__(self, pairs: Iterable[tuple[str, Owner]]) -> None:
        self._owners: dict[str, list[Owner]] = defaultdict(list)
        self._patterns: dict[str, tuple[str, re.Pattern[str]]] = {}
        for phrase, owner in pairs:
            self._owners[phrase].append(owner)
            if "{" in phrase:
                plain = max(re.split(r"\{\w+\}", phrase), key=len)
                pattern = re.compile(_SLOT.sub(r"[^\\n]{1,60}?", re.escape(phrase)))
                self._patterns[phrase] = plain, pattern

    def found(self, text: str) -> Iterator[tuple[str, list[Owner]]]:
        """The phrases that stand in `text`, with their owners."""
        for phrase, owners in self._owners.items():
            plain, pattern = self._patterns.get(phrase, (phrase, None))
            if plain in text and (pattern is None or pattern.search(text)):
                yield phrase, owners

    def any(self, text: str) -> bool:
        """Whether one of the phrases stands in `text`."""
        return next(self.found(text), None) is not None
