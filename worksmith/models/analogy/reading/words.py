"""Words of a text: light stemming, comparison, case."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*")

_STOP = (
    "a an the of to in on at for with and or is was were be been it its this that them they their me my i "
    "you your can could please do did if so then there from by as any all some"
)
_UP = "more higher greater above over exceeded exceeds exceed up increased grew rose most after later since"
_DOWN = "less lower fewer below under down decreased fell dropped least before earlier until"


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without case, plural and the commonest endings."""
    word = word.lower()
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    return word


@lru_cache(maxsize=8192)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of `text`; underscores and hyphens separate."""
    return tuple(stem(word) for word in _WORD.findall(text))


STOP_STEMS = frozenset(map(stem, _STOP.split()))
"""Words that say little about the subject of a task."""

_FUNCTION = (
    "are am has have had having does did done might may must shall should will would not no nor but because "
    "while when where which who whom whose what how than too very just also only into onto over under about "
    "after before between during otherwise else whether each every few more most other such own same he she "
    "we us our his her think need want know say says saying said tell called titled named title call let "
    "whatever everything everyone anybody somebody still already yet again now soon"
)
FUNCTION_STEMS = STOP_STEMS | frozenset(map(stem, _FUNCTION.split()))
"""Words that are hardly ever the beginning or the end of a name."""

_OPENING = (
    "prepare find tell give list show count compare collect brief mail send write message inform add record "
    "register enter update change set delete remove erase create rename look get take check search state "
    "report put make fetch identify note reply answer let kindly please"
)
OPENING_STEMS = frozenset(map(stem, _OPENING.split()))
"""Words that begin a request; at the beginning of a sentence they are no part of a name."""

DIRECTIONS = {
    **dict.fromkeys(map(stem, _UP.split()), 1),
    **dict.fromkeys(map(stem, _DOWN.split()), -1),
}
"""Words for the direction of a comparison, by stem."""

_SMALLEST = "least fewest smallest lowest shortest fastest quickest soonest lightest minimum minimal min"
_LARGEST = "most largest highest longest slowest biggest greatest heaviest maximum maximal max"
EXTREMES = {
    **dict.fromkeys(map(stem, _SMALLEST.split()), "smallest"),
    **dict.fromkeys(map(stem, _LARGEST.split()), "largest"),
}
"""Words for the least or most of something, by stem."""


def extremes_of(norms: Iterable[str]) -> frozenset[str]:
    """The extremes that stemmed words ask for; `at least` and `at most` ask for none."""
    pairs = pairwise(("", *norms))
    return frozenset(EXTREMES[norm] for before, norm in pairs if norm in EXTREMES and before != "at")


CONTENT = "content"
"""The case that keeps the telling words of a phrase and leaves out those between them."""

CASES = ("same", "sentence", "lower", "title", "capital", "upper", "snake")


def content_words(text: str) -> list[str]:
    """The words of a text that are no function words, in order."""
    words = _PARTS.findall(re.sub(r"['\u2019]s\b", "", text))
    return [word for word in words if stem(word) not in FUNCTION_STEMS]


def recase(text: str, case: str) -> str:
    if case == "lower":
        return text.lower()
    if case == "upper":
        return text.upper()
    if case == "title":
        return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
    if case == CONTENT:
        return " ".join(content_words(text))
    if case == "sentence":
        return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
    if case == "capital":
        return text[:1].upper() + text[1:].lower()
    if case == "snake":
        return re.sub(r"[\s-]+", "_", text.lower())
    return text


def case_of(source: str, target: str) -> str | None:
    """The case that turns `source` into `target`; None when none does."""
    return next((case for case in CASES if recase(source, case) == target), None)
