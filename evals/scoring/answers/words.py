"""Answers compared word by word, as published benchmarks compare sentences."""

from __future__ import annotations

import re
from collections import Counter

_ARTICLES = frozenset({"a", "an", "the"})


def normalised(text: str) -> list[str]:
    """The words of a text as the published metric compares them: no case, punctuation or articles."""
    return [word for word in re.sub(r"[^\w\s]|_", " ", text.lower()).split() if word not in _ARTICLES]


def token_f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall of the words, repeated ones counted."""
    said, wanted = normalised(answer), normalised(reference)
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted))
