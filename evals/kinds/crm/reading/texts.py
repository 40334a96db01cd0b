"""Texts of questions: tidied, with parts taken out, apart from ids and the form of the answer."""

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


_ID = re.compile(r"\b[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?\b")
_SENTENCE = re.compile(r"(?<=[?.!])\s+(?=[A-Z¤])")
_FORMAT = re.compile(
    r"^(?:please )?(?:only )?(?:return|respond|answer|reply|output|submit|give|provide"
    r"|the (?:associated|relevant) )"
)
_FORMAT_SIGN = re.compile(
    r"\b(?:only|just|ids?|abbreviations?|format|two-letter|no (?:explanation|sentence)|month name)\b"
)


def question_of(wording: str) -> str:
    """A wording without ids and without the sentences on the form of the answer that may follow it."""
    text = tidy(wording)
    text = _ID.sub(lambda found: " " * len(found[0]) if any(map(str.isdigit, found[0])) else found[0], text)
    first, *others = _SENTENCE.split(text)
    kept = (
        each for each in others if not (_FORMAT.search(each.lower()) and _FORMAT_SIGN.search(each.lower()))
    )
    return tidy(" ".join([first, *kept]))
