"""Finding the product that a wording names or describes: what is left beside the words of the question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from worksmith.evals.kinds.crm.reading.texts import folded
from worksmith.tools.files.data_files import read_toml

Vocabulary = Literal["trend", "problem", "purchase"]

_TOKEN = re.compile(r"[^\s¤,;:?!\"()“”]+")
_QUOTED = re.compile(r"[\"“]([^\"“”¤]{2,80})[\"”]")
_SENTENCE_END = re.compile(r"[.?!:]\s*$")
_JOINT = re.compile(r"[A-Za-z&' ]*")
_BEFORE_COMMANDS = frozenset({"you", "please", "to", "and", "kindly"})
_MOST_BETWEEN = 3
"""Connecting words in a row that may hold a description together."""


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int
    content: bool
    capital: bool
    connecting: bool


def product_phrase(text: str, vocabulary: Vocabulary) -> str | None:
    """The longest run of words that are not the question's own; with capitals goes before without.

    Args:
        text: as it was written, with holes for what was understood already.
        vocabulary: the question's own words. Where purchases are asked about, products are described, and
            elsewhere they are named, so that a run ends with its capitals, if it has any.
    """
    if quoted := _QUOTED.search(text):
        return quoted[1].strip()
    runs = _runs(text, _words(text, vocabulary))
    if vocabulary != "purchase":
        runs = [_named(run) for run in runs]
    if not runs:
        return None
    best = max(runs, key=lambda run: (sum(word.capital for word in run), len(run)))
    phrase = text[best[0].start : best[-1].end].strip(" .'-")
    return re.sub(r"'s?$", "", phrase) or None


def _words(text: str, vocabulary: Vocabulary) -> list[_Word]:
    own = _own_words(vocabulary)
    connecting = _lists()["connecting"]
    words: list[_Word] = []
    for found in _TOKEN.finditer(text):
        token = found[0].rstrip(".'")
        small = token.lower()
        first = not words or _SENTENCE_END.search(text[: found.start()]) is not None
        capital = token[:1].isupper() and not first and small not in ("i", "i've", "i'd", "i'm")
        number = token.isdigit() and bool(words) and words[-1].content
        known = small in connecting or small in own or small.removesuffix("'s") in own
        known = known or (small in _lists()["commanding"] and _is_command(words))
        content = capital or number or not (known or token.isdigit() or not any(map(str.isalnum, token)))
        words.append(
            _Word(
                token,
                found.start(),
                found.start() + len(token),
                content,
                capital or number,
                small in connecting,
            )
        )
    return words


def _is_command(before: list[_Word]) -> bool:
    return not before or before[-1].text.lower() in _BEFORE_COMMANDS


def _runs(text: str, words: list[_Word]) -> list[list[_Word]]:
    runs: list[list[_Word]] = []
    waiting: list[_Word] = []
    for word in words:
        held = (
            bool(runs)
            and len(waiting) <= _MOST_BETWEEN
            and _JOINT.fullmatch(text[runs[-1][-1].end : word.start])
        )
        if word.content and held:
            runs[-1] += [*waiting, word]
        elif word.content:
            runs.append([word])
        if word.content:
            waiting = []
        elif word.connecting:
            waiting.append(word)
        else:
            waiting = [word] * (_MOST_BETWEEN + 1)
    return runs


def _named(run: list[_Word]) -> list[_Word]:
    """The run from its first to its last capital; all of it if there is none."""
    capitals = [place for place, word in enumerate(run) if word.capital]
    return run[capitals[0] : capitals[-1] + 1] if capitals else run


@cache
def _lists() -> dict[str, frozenset[str]]:
    data = read_toml(__package__, "vocabulary.toml")
    return {name: frozenset(words.split()) for name, words in data.items()}


@cache
def _own_words(vocabulary: Vocabulary) -> frozenset[str]:
    return _lists()["function"] | _lists()[vocabulary]


_THE = r"(?:(?:the|my|our|those|these|that|this|some|an?) (?:pair of )?)"
_BOUGHT = r"(?:purchased|bought|ordered|acquired|got|picked up|received|chose|took|paid for|went for)"
_I = r"(?:i|we)(?:'ve|'d| have| had)?(?: [a-z]+ly| just| once)?"
_WORDS = r"(?P<words>[^¤.;:?!]+?)"
_SHOW = (
    r"(?:display|show|retrieve|find|fetch|pull|bring|locate|get|give|see|view|open|present|look)"
    r"(?: (?:me|us|up|for|at|out))*"
)

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bwhich {_WORDS} (?:(?:did|do|have|had) (?:i|we)|{_I} {_BOUGHT})\b",
        rf"\b(?:my|our) (?:purchase|order) of {_THE}?{_WORDS}(?= ¤|[.,;?!]|$| from| on)",
        rf"\b{_THE}{_WORDS},?(?: that| which)?(?: ¤+)? {_I} {_BOUGHT}\b",
        rf"\b{_THE}{_WORDS},? (?:from|in) (?:my|our) (?:[a-z]+ )?(?:purchase|order)\b",
        rf"\b{_I} {_BOUGHT} {_THE}?{_WORDS}(?= ¤|[.,;:?!]| -|$)",
        rf"\b{_SHOW} {_THE}{_WORDS},? (?:(?:that|which) (?:was|were) )?(?:purchased|bought|ordered)\b",
        rf"\b{_SHOW} {_THE}{_WORDS}[?.;!,]",
        rf"\b{_SHOW} {_WORDS},? (?:(?:that|which) )?{_I} {_BOUGHT}\b",
    )
)
"""Ways to speak of a purchase, in the order in which they are tried."""

_ABOUT = re.compile(
    r"^(?:(?:exact|right|full) )?"
    r"(?:product|item|name|thing|article|page|detail|entry|record|listing|photo|picture)s?,?"
    rf"(?: (?:page|details|name))? (?:of|for|behind|on|about|called) {_THE}?"
)
_AFTER = re.compile(r" (?:called|named|again|please)$")


def described(text: str) -> str | None:
    """What was bought, in the words of whoever bought it; None if no pattern fits.

    Args:
        text: as it was written, with holes for what was understood already.
    """
    small = folded(text)
    for pattern in _PATTERNS:
        if found := pattern.search(small):
            start, end = found.span("words")
            start += len(head[0]) if (head := _ABOUT.match(small[start:end])) else 0
            words = text[start:end].strip(" ,'-")
            return _AFTER.sub("", words) or None
    return None
