"""Texts with parts taken out, so that what one reader has understood is not read again by the next."""

from __future__ import annotations

import re

HOLE = "¤"
"""Stands for every character that was taken out; no wording has it."""

_SAME = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "`": "'",
        "\u2010": "-",
        "\u2011": "-",
        "\u2013": "-",
        "\u2014": "-",
        HOLE: " ",
    }
)
_SPACE = re.compile(r"\s+")


def tidy(text: str) -> str:
    """The text with plain apostrophes and hyphens, single blanks and nothing that stands for a hole."""
    return _SPACE.sub(" ", text.translate(_SAME)).strip()


def folded(text: str) -> str:
    """The text in small letters, every letter in its place."""
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def without(text: str, span: tuple[int, int]) -> str:
    """The text with a hole in place of the span; everything else keeps its place."""
    start, end = span
    return text[:start] + HOLE * (end - start) + text[end:]
