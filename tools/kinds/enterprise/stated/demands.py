"""The required facts of a text, and the lines of another wording that may replace its own.

A sentence that states a fact stays word for word. The other sentences of its line (a turn of a dialogue, a
paragraph of a letter) may be said in other words, as long as the line brings in nothing new. A line that
does not hold is left as it was, so that one mistake does not cost the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.enterprise.stated.particulars import (
    names,
    opening_words,
    particulars,
    sentences,
    spoken,
    turn_of,
    words_of,
)

_LENGTHS = (0.5, 1.7)
"""How long a new line may be at least and at most, as a multiple of the old one."""

_SHORT = 40
"""The characters that a line may have in any case."""

_KNOWN = 0.5
"""The least share of a new sentence's content words that its old line has as well."""

_STEM = 5
"""Common letters at the beginning that make words forms of one word."""

_MARKS = frozenset("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u20b9\n")
"""Characters outside ASCII that people write."""

_ENDS = (".", "!", "?")

_WORDS = read_toml(__package__, "words.toml")
_COMMON = frozenset(_WORDS["common"].split())
_TURNS = re.compile(rf"\b(?:{'|'.join(_WORDS['turns'])})\b|n['\u2019]t\b", re.IGNORECASE)

Watch = Callable[[str], Iterable[str]]
"""A text's values of a kind of facts."""


@dataclass(frozen=True)
class Taken:
    """A text of which some lines are reworded.

    Attributes:
        lines: how many could have been.
        refused: for each line that stayed as it was, why.
    """

    text: str
    lines: int
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demands:
    """The required content of every wording of a text.

    Attributes:
        ref: the record, `source/key`.
        column: the column of the text.
        text: the text as it is.
        fixed: sentences and paragraphs that stay as they are.
        literal: phrases that stay in the lines that have them.
        barred: phrases that may not come in: other values of the same facts.
        watches: a new line states nothing of these kinds that the old one does not.
    """

    ref: str
    column: str
    text: str
    fixed: tuple[str, ...] = ()
    literal: tuple[str, ...] = ()
    barred: frozenset[str] = frozenset()
    watches: tuple[Watch, ...] = ()

    @property
    def lines(self) -> list[str]:
        return [line for line in self.text.split("\n") if line.strip()]

    def kept(self, line: str) -> list[str]:
        """The parts of a line that stay as they are; sentences that follow each other are one part."""
        places = sorted(
            (line.index(part), line.index(part) + len(part))
            for one in self.fixed
            for part in one.split("\n")
            if part.strip() and part in line
        )
        found: list[tuple[int, int]] = []
        for start, end in places:
            if found and not line[found[-1][1] : start].strip():
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return [line[start:end] for start, end in found]

    def loose(self, line: str) -> bool:
        """Whether a line has words besides the sentences that stay."""
        for said in self.kept(line):
            line = line.replace(said, "")
        return bool(words_of(turn_of(line)[1]))

    def taken(self, text: str, known: frozenset[str] = frozenset()) -> Taken:
        """The text with those lines of a new one that hold.

        Args:
            known: words of the names of people and businesses, in lower case. At the beginning of a
                sentence nothing else tells a name.
        """
        old, new = self.lines, [line for line in text.split("\n") if line.strip()]
        loose = sum(map(self.loose, old))
        if len(old) != len(new):
            return Taken(self.text, loose, ("the text has more or fewer lines",) * loose)
        refused, found = [], iter(zip(old, new, strict=True))
        lines = []
        for line in self.text.split("\n"):
            if line.strip():
                _, draft = next(found)
                draft = draft.rstrip()
                why = self.objection(line, draft, known) if draft != line.rstrip() else "nothing changed"
                if why and self.loose(line):
                    refused.append(why)
                lines.append(line if why else draft)
            else:
                lines.append(line)
        return Taken("\n".join(lines), loose, tuple(refused))

    def objection(self, old: str, new: str, known: frozenset[str] = frozenset()) -> str:
        """Why a new line cannot stand for an old one; empty if it can."""
        return next((why for why, broken in self._rules(old, new, known) if broken), "")

    def _rules(self, old: str, new: str, known: frozenset[str]) -> Iterator[tuple[str, bool]]:
        (who, before), (other, after) = turn_of(old), turn_of(new)
        least, most = (part * len(before) for part in _LENGTHS)
        # First, so that no other rule reads a text without an end.
        yield "it is too short or too long", not least <= len(after) <= max(most, _SHORT)
        yield "somebody else says it", who != other
        yield "it has characters that nobody writes", any(map(_odd, set(new) - set(old)))
        yield "it breaks off", before.endswith(_ENDS) and not after.endswith(_ENDS)
        yield "a sentence with a fact is changed", not all(_said(after, one) for one in self.kept(before))
        yield (
            "a number, day, key or quotation is changed",
            sorted(particulars(before)) != sorted(particulars(after)),
        )
        yield "a name is changed", not _named(before, known) <= words_of(after)
        yield "a name comes in", not _named(after, known) <= words_of(before)
        phrases = (one for one in self.literal if stands(before, one))
        yield "a phrase of the record is missing", not all(stands(after, one) for one in phrases)
        yield "a phrase of other records comes in", self._comes_in(before, after)
        yield "a negation or a doubt comes in or is lost", bool(turns(before)) != bool(turns(after))
        yield "a sentence says something else", any(_strange(one, before) for one in sentences(after))
        yield "it has more sentences", len(sentences(after)) > len(sentences(before))
        yield "a question comes in or is lost", before.count("?") != after.count("?")
        yield "a sentence stands there twice", _twice(after) > _twice(before)

    def _comes_in(self, before: str, after: str) -> bool:
        if any(stands(after, phrase) and not stands(before, phrase) for phrase in self.barred):
            return True
        return any(set(watch(after)) - set(watch(before)) for watch in self.watches)


def stands(text: str, value: str) -> bool:
    """Whether `value` stands in `text` as separate words, in any letter case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def turns(text: str) -> frozenset[str]:
    """The words of a text that turn its sense: negations, doubts, corrections."""
    return frozenset(found.lower() for found in _TURNS.findall(text))


def holding(text: str, value: str) -> list[str]:
    """The sentences of `text` in which `value` stands."""
    return [said for _, said in spoken(text) if stands(said, value)]


def _said(line: str, sentence: str) -> bool:
    """Whether a sentence is said in a line, and not as a part of a longer one."""
    return re.search(rf"(?:^|[.!?]\s+){re.escape(sentence)}(?=\s|$)", line) is not None


def _named(text: str, known: frozenset[str]) -> set[str]:
    return names(text) | (opening_words(text) & known)


def _strange(sentence: str, line: str) -> bool:
    """Whether a sentence says something that those of a line do not, by its words and particulars."""
    told = sentences(line)
    if sentence in told:
        return False
    like = [one for one in told if particulars(one) == particulars(sentence)]
    found = _stems(sentence)
    return len(found & _stems(" ".join(like))) < max(1, _KNOWN * len(found))


def _stems(text: str) -> set[str]:
    content = (word for word in words_of(text) if len(word) > 3 and word not in _COMMON)
    return {word[:_STEM] for word in content if not turns(word)}


def _twice(text: str) -> int:
    """The number of repeated sentences of a text."""
    found = sentences(text)
    return len(found) - len(set(found))


def _odd(character: str) -> bool:
    return not (character.isascii() and character.isprintable()) and character not in _MARKS
