"""Guesses of the next tokens of a sequence that repeats itself."""

from __future__ import annotations

from collections.abc import Sequence

_SAME = 3
"""The number of equal tokens for a guess."""


class Guesses:
    """The tokens that followed the last ones of a sequence where they stood before."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """Let the sequence go on with a token."""
        self._after[tuple(self._tokens[-_SAME:])] = len(self._tokens)
        self._tokens.append(token)

    def next(self, most: int) -> list[int]:
        """At most `most` tokens; empty if the last ones do not occur before."""
        place = self._after.get(tuple(self._tokens[-_SAME:]), len(self._tokens))
        return self._tokens[place : place + most]
