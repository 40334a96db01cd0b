"""What a text has to state, and whether another wording of it states the same.

A value (a day, a sum, a number, a name, a key) may be said in other words; its sentence must speak of the
same thing. Whatever is a judgement or a phrase (an outcome, a promise, a rating) keeps its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tools.files.data_files import read_toml
from tools.kinds.enterprise.stated.particulars import (
    names,
    opening_words,
    particulars,
    spoken,
    words_of,
)

_LENGTHS = (0.5, 1.7)
"""How long a new text may be at least and at most, as a multiple of the old one."""

_SHORT = 30
"""Up to so many words a text may grow more."""

_WORDS = read_toml(__package__, "words.toml")
_COMMON = frozenset(_WORDS["common"].split())
_TURNS = re.compile(rf"\b(?:{'|'.join(_WORDS['turns'])})\b|n't\b", re.IGNORECASE)

Watch = Callable[[str], Iterable[str]]
"""What a text states that it must not."""


@dataclass(frozen=True)
class Fixed:
    """A sentence or paragraph that stays as it is; in a dialogue with who says it, if only one may."""

    sentence: str
    speaker: str = ""

    def stands_in(self, text: str) -> bool:
        """Whether it is said there, and not as a part of a longer sentence."""
        who = f"{re.escape(self.speaker)}: " if self.speaker else r"(?:\w+: )?"
        pattern = rf"^{who}(?:.*[.!?]\s+)?{re.escape(self.sentence)}(?=\s|$)"
        return re.search(pattern, text, re.MULTILINE) is not None


@dataclass(frozen=True)
class Free:
    """A value that may be said in other words.

    Attributes:
        name: the fact.
        value: as `particulars` gives it, or as it stands in the text.
        kind: the type of the value; two values of one type may not share a sentence.
        cues: words of which its sentence needs one; none needed if empty.
        turns: what the old sentence has of words that turn its sense.
    """

    name: str
    value: str
    kind: str
    cues: frozenset[str]
    speaker: str = ""
    turns: frozenset[str] = frozenset()

    def stands_in(self, sentence: str) -> bool:
        return self.value in particulars(sentence) or stands(sentence, self.value)

    def stated_by(self, sentence: str) -> bool:
        """Whether the value stands in a sentence that speaks of it."""
        return self.stands_in(sentence) and (not self.cues or bool(self.cues & stems(sentence)))


@dataclass(frozen=True)
class Demands:
    """What every wording of a text has to say.

    Attributes:
        ref: the record, `source/key`.
        column: the column of the text.
        text: the text as it is.
        fixed, free: see there.
        literal: phrases that have to stand somewhere.
        barred: phrases that may not stand anywhere: other values of the same facts.
        watches: each gives what a new text states besides the facts.
    """

    ref: str
    column: str
    text: str
    fixed: tuple[Fixed, ...] = ()
    free: tuple[Free, ...] = ()
    literal: tuple[str, ...] = ()
    barred: frozenset[str] = field(default_factory=frozenset)
    watches: tuple[Watch, ...] = ()

    def objections(self, text: str, known: frozenset[str] = frozenset()) -> list[str]:
        """Why `text` cannot stand for the old one; nothing if it can.

        Args:
            known: words of the names of people and businesses, in lower case. At the beginning of a
                sentence nothing else tells a name.
        """
        if not text.strip():
            return ["The text is empty."]
        found = [*self._fixed(text), *self._free(text), *self._particulars(text, known)]
        found += [f"{value!r} is missing." for value in self.literal if not stands(text, value)]
        found += [f"{value!r} must not be said." for value in sorted(self.barred) if stands(text, value)]
        found += [f"{said!r} must not be said." for watch in self.watches for said in watch(text)]
        found += self._form(text)
        return list(dict.fromkeys(found))

    def _fixed(self, text: str) -> Iterator[str]:
        for one in self.fixed:
            if not one.stands_in(text):
                who = (
                    f"{one.speaker} has to say this as it is" if one.speaker else "This is missing or changed"
                )
                yield f"{who}: {one.sentence!r}"

    def _free(self, text: str) -> Iterator[str]:
        told = list(spoken(text))
        for one in self.free:
            places = [(who, said) for who, said in told if one.stands_in(said)]
            apt = [(who, said) for who, said in places if one.stated_by(said)]
            if not places:
                yield f"The {_spelled(one.name)} {one.value!r} is missing."
            elif not apt:
                yield f"The sentence with {one.value!r} has to say that this is the {_spelled(one.name)}."
            elif all(who != one.speaker for who, _ in apt):
                yield f"{one.speaker} has to name the {_spelled(one.name)} {one.value!r}."
            for _, said in apt:
                for turn in sorted(turns(said) - one.turns):
                    yield f"{turn!r} turns what is said of the {_spelled(one.name)}: {said!r}"
                for other in self.free:
                    if other.kind == one.kind and other.value != one.value and other.stands_in(said):
                        yield f"{one.value!r} and {other.value!r} need a sentence each."

    def _particulars(self, text: str, known: frozenset[str]) -> Iterator[str]:
        before, after = particulars(self.text), particulars(text)
        yield from (f"{value!r} is missing." for value in sorted(before - after))
        yield from (f"{value!r} is new." for value in sorted(after - before))
        old, new = (names(one) | (opening_words(one) & known) for one in (self.text, text))
        yield from (f"The name {name!r} is missing." for name in sorted(old - words_of(text)))
        yield from (f"The name {name!r} is new." for name in sorted(new - words_of(self.text)))

    def _form(self, text: str) -> Iterator[str]:
        speakers = {who for who, _ in spoken(self.text)}
        strange = {who for who, _ in spoken(text)} - speakers
        if strange:
            who = ", ".join(sorted(filter(None, speakers))) or "nobody"
            yield f"Every line is said by one of: {who}." if "" in strange else f"Only {who} may speak."
        least, most = (part * len(self.text.split()) for part in _LENGTHS)
        if not least <= len(text.split()) <= max(most, _SHORT):
            yield "The text has to be about as long as the old one."


def stands(text: str, value: str) -> bool:
    """Whether `value` stands in `text` as words of its own, whatever the letter case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def turns(sentence: str) -> frozenset[str]:
    """The words of a sentence that turn its sense: negations, limits, doubts."""
    return frozenset(found.lower() for found in _TURNS.findall(sentence))


def cues(forms: Iterable[str], others: Iterable[str] = ()) -> frozenset[str]:
    """The words by which sentences of some forms are known, those of other forms left out."""
    taken = frozenset().union(*map(stems, others)) if others else frozenset()
    return frozenset().union(*(stems(re.sub(r"\{\w+\}", " ", form)) for form in forms)) - taken


def holding(text: str, value: str) -> list[Fixed]:
    """The sentences of `text` in which `value` stands."""
    return [Fixed(said, who) for who, said in spoken(text) if stands(said, value)]


def stems(text: str) -> frozenset[str]:
    """The content words of a text, without common endings."""
    return frozenset(
        re.sub(r"(?:ed|ing|es|s|e)$", "", word)
        for word in words_of(text)
        if len(word) > 3 and word not in _COMMON
    )


def _spelled(name: str) -> str:
    return name.replace("_", " ")
