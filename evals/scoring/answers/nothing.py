"""Answers that report the absence of a result, recognised by rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from worksmith.tools.files.data_files import read_toml

_WRAPPING = " \t\r\n\"'`*\u2018\u2019\u201c\u201d"
_NONE_ALONE = re.compile(r"^(?:none|null|n/a)\b(?! of\b)|(?:\bnone|\bnull|\bn/a)\W*$")
"""`None` as the first or the last word, but not as in `none of them`."""


def trimmed(answer: str) -> str:
    """An answer without blanks, quotes and emphasis around it, and without full stops."""
    text = answer
    while (shorter := text.strip(_WRAPPING).rstrip(".")) != text:
        text = shorter
    return text


def says_nothing(answer: str, *, names_value: Callable[[str], bool] | None = None) -> bool:
    """Whether an answer says that there is nothing; an empty one says nothing at all.

    A sentence may say that and name something else; whether it is right is another question.

    Args:
        names_value: whether a text names a value of the type asked for. An answer with such a value does not
            say that there is nothing. None if a sentence is asked for.
    """
    text = " ".join(trimmed(answer).lower().replace("\u2019", "'").split())
    if not text or text in _words("nothing"):
        return bool(text)
    if names_value is not None and names_value(answer):
        return False
    text, found_nothing = _phrase("found_nothing").subn(" ", text)
    if _phrase("gives_up").search(text):
        return False
    unsaid = names_value is None and _phrase("unsaid").search(text)
    return bool(found_nothing or unsaid or _NONE_ALONE.search(text) or _missing().search(text))


@cache
def _missing() -> re.Pattern[str]:
    of_all = r"\bnone of (?:the|these|those|our)\b(?!.*\b(?:but|except|other than|apart from)\b)"
    either = "|".join(map(re.escape, sorted(_words("missing"))))
    return re.compile(rf"(?:\bno\b|{of_all})(?:\W+\w+){{0,3}}?\W+(?:{either})\b")


@cache
def _phrase(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(_words(name))))})\b")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_toml("worksmith.evals.scoring.answers", "nothing.toml")[name])
