"""The words of a request without its names, dates and numbers, and without the choice between synonyms.

Two requests with the same intent differ in slot values and in wording. Slot values are replaced by type
marks and synonyms by one of them, so that the request next to "cancel Ann's call on Friday" is "drop the
meeting with Bob on Monday" and not the one that happens to mention Ann. Dates, synonyms and endings are
English; the words of other languages stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path

import regex  # type: ignore[import-untyped]

from worksmith.retrievers.texts.words import CHARACTER, EMOJI, LETTER, composed, folded

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_QUOTED = re.compile(r"「[^「」\n]+」|『[^『』\n]+』|«[^«»\n]+»|„[^„\"\n]+\"")
"""A quotation whose first mark differs from its last, so that it may stand within words."""

_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})

_NAME = regex.compile(r"(?<=[\p{Ll},_'] )(?:\p{Lu}\p{Ll}[\w-]*)(?: \p{Lu}\p{Ll}[\w-]*)*")
_SMALL = regex.compile(r"\b[\p{Ll}\p{M}]+\b")

_NOUNS = re.compile(
    r"\b(?:der|das|dem|und|oder|ist|sind|nicht|ich|wir|eine?[mnrs]?|meine?[mnrs]?|wie|wo|wann|kann|bitte"
    r"|auf|mit|zum|zur|nach|[a-z]*[äöüß][a-zäöüß]*)\b"
)
"""Words of German, which writes every noun with a capital: a capital there makes no name."""

_NAMED = "_name"

# Order matters: what looks like part of an earlier kind is gone when a later one is tried.
_SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    # A quote mark inside a word is an apostrophe, so a quotation starts after and ends before a gap.
    ("_quote", re.compile(r"(?<!\w)(?:'[^'\n]+(?:'\w[^'\n]*)*'|\"[^\"\n]+\")(?!\w)")),
    ("_email", re.compile(r"\b[\w.+-]+@[\w.-]+\b")),
    ("_date", re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b")),
    ("_date", re.compile(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b", re.I)),
    ("_date", re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b", re.I)),
    ("_weekday", re.compile(rf"\b{_WEEKDAY}\b", re.I)),
    ("_time", re.compile(r"\b\d{1,2}(?::\d\d)?\s?(?:am|pm)\b|\b\d{1,2}:\d\d\b|\b(?:noon|midnight)\b", re.I)),
    ("_percent", re.compile(r"\b\d+(?:\.\d+)?\s?(?:%|percent\b)", re.I)),
    ("_number", re.compile(r"\b\d+(?:\.\d+)?\b")),
    # Not the first word of a sentence, which is always capital, nor an abbreviation.
    (_NAMED, _NAME),
    # Names typed carelessly still own things; the words listed are not owners.
    (
        _NAMED,
        re.compile(
            r"\b(?!(?:it|let|that|what|there|here|who|he|she|how|where|today|week)')[a-z]+(?='s\b)", re.I
        ),
    ),
)
_WORD = regex.compile(rf"{CHARACTER}|{LETTER}+(?:'(?!s\b){LETTER}+)?|{EMOJI}")


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Words that are capital within sentences, and never small: those that open a sentence are names too."""
    texts = tuple(map(composed, texts))
    found = (name for text in texts if not _NOUNS.search(text) for name in _NAME.findall(text))
    small = {folded(word) for text in texts for word in _SMALL.findall(text)}
    return frozenset(word for name in found for word in folded(name).split()) - small


def abstract(text: str, names: Collection[str] = ()) -> list[str]:
    """The words of `text`, in order: slot values as their type, synonyms as one of them, endings cut.

    Args:
        names: words that are names anywhere, in lower case.
    """
    return ["_name" if word in names else root for word, root in _roots(text) if word in names or root]


def without_values(text: str) -> str:
    """The text with a type mark in the place of each slot value."""
    text = _QUOTED.sub("_quote", composed(text).translate(_STRAIGHT))
    german = _NOUNS.search(text)
    for mark, pattern in _SLOTS:
        if not (german and mark == _NAMED):
            text = pattern.sub(mark, text)
    return text


@lru_cache(maxsize=4096)
def _roots(text: str) -> tuple[tuple[str, str], ...]:
    """The words of `text`, slot values as their type, each with its root."""
    phrases, _ = _synonyms()
    text = composed(text).translate(_STRAIGHT)
    for phrase, word in phrases:
        text = phrase.sub(word, text)
    return tuple(map(_rooted, _WORD.findall(folded(without_values(text)))))


@lru_cache(maxsize=16_384)
def _rooted(word: str) -> tuple[str, str]:
    """A word with its root, or the synonym that stands for it; that of the possessive `s` is empty.

    Kept, so that texts share their words.
    """
    root = word if word[0] == "_" else "" if word == "s" else stem(word)
    return word, _synonyms()[1].get(root, root)


@cache
def _synonyms() -> tuple[list[tuple[re.Pattern[str], str]], dict[str, str]]:
    """Phrases, longest first, and single words, each with the word that stands for it."""
    phrases: list[tuple[str, str]] = []
    words: dict[str, str] = {}
    for line in Path(__file__).with_name("synonyms.txt").read_text().splitlines():
        group = [] if line.startswith("#") else line.split()
        for member in group:
            if "-" in member:
                phrases.append((member, group[0].replace("-", "")))
            else:
                words.setdefault(stem(member), stem(group[0].replace("-", "")))
    phrases.sort(key=lambda pair: (-len(pair[0]), pair))
    compiled = [(re.compile(rf"\b{p.replace('-', '[ -]')}\b", re.I), folded) for p, folded in phrases]
    return compiled, words


def stem(word: str) -> str:
    """A crude stem; only needs to send the common forms of one verb or noun to the same string."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss"):
        word = _without(word, "s")
    for ending in ("ing", "ed"):
        word = _without(word, ending)
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return _without(word, "e")


def _without(word: str, ending: str) -> str:
    return word.removesuffix(ending) if len(word) - len(ending) >= 3 else word
