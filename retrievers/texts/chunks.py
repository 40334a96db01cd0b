"""Long texts in passages that an embedding model can take in whole."""

from __future__ import annotations

import re

_SIZE = 200
"""Tokens of a passage, by a count that may be a little low: MiniLM reads 256 and passes over the rest."""

MOST = 3
"""Passages of a text that get vectors. What comes after is still found by its words."""

_PIECE = re.compile(r"[A-Za-z]{1,8}|\d{1,3}|[^\W\d_]|[^\w\s]|_")
"""About one token of a model's vocabulary: short words are one, long ones and foreign ones several."""

_LINE = re.compile(r"[^\n]*\n+|[^\n]+$")
_SENTENCE = re.compile(r".*?(?:[.!?]+\s+|[\u3002\uff01\uff1f\u0964]+\s*)|.+$", re.S)
_WORD = re.compile(r"\s*\S{1,40}")
"""A word with the gap before it; an endless one is cut."""


def passages_of(text: str, most: int = MOST) -> list[str]:
    """The first passages of `text`, which break between lines, sentences or, where they must, words.

    Args:
        most: how many at most; at least one, which is empty for an empty text.
    """
    if pieces_in(text) <= _SIZE:
        return [text.strip()]
    passages: list[str] = []
    current, size = "", 0
    for part in _parts(text):
        length = pieces_in(part)
        if current and size + length > _SIZE:
            passages.append(current.strip())
            if len(passages) == most:
                return passages
            current, size = "", 0
        current, size = current + part, size + length
    if current.strip():
        passages.append(current.strip())
    return passages


def pieces_in(text: str) -> int:
    """About how many tokens `text` has."""
    return len(_PIECE.findall(text))


def _parts(text: str) -> list[str]:
    """Lines; sentences of lines that are too long; words of sentences that are."""
    parts = []
    for line in _LINE.findall(text):
        for sentence in [line] if pieces_in(line) <= _SIZE else _SENTENCE.findall(line):
            parts += [sentence] if pieces_in(sentence) <= _SIZE else _WORD.findall(sentence)
    return parts
