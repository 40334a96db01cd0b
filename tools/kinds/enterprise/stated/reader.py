"""Finds where a text states the facts of its record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.grammar import Grammar
from tools.kinds.enterprise.generate.industry import Industry
from tools.kinds.enterprise.stated.demands import (
    Demands,
    Fixed,
    Free,
    Watch,
    cues,
    holding,
    stands,
    stems,
    turns,
)
from tools.kinds.enterprise.stated.particulars import particulars, spoken
from tools.kinds.enterprise.stated.phrases import Phrases
from tools.kinds.enterprise.stated.sentences import read

_VALUES = ("day", "money", "percent", "number", "person", "name", "key")
"""Types of values that may be said in other words."""

_PLAIN = ("key", "name")
"""Values of these types say themselves what they are."""


class UnreadError(Exception):
    """A fact cannot be read back from a text, so that nothing could check another wording."""


class Reader:
    """Finds where a text states the facts of its record, and collects what it demands.

    Args:
        latent: the facts.
        text: the text as it is.
        industry: that of the company.
    """

    def __init__(self, latent: Latent, text: str, industry: Industry) -> None:
        self.facts, self.kind, self.text = latent.facts, latent.kind, text
        self.industry = industry
        self.fixed: dict[Fixed, None] = {}
        self.literal: dict[str, None] = {}
        self.barred: set[str] = set()
        self.watches: list[Watch] = []
        self._found: list[tuple[str, str, str, Fixed, list[str]]] = []

    def states(self, words: Grammar, fact: str, form: str = "", *, keep: bool = False) -> None:
        """The text states `fact` in a sentence of the kind `form` (else named as the fact).

        Args:
            keep: the sentence stays, though it states a mere value.

        Raises:
            UnreadError: no sentence states it.
        """
        form = form or fact
        slot = fact if f"{{{fact}}}" in "".join(words.data["say"][form]) else form
        value, place = self.facts[fact], self._sentence(words, form, fact, slot)
        kind = words.types.get(slot, "")
        if kind in _VALUES and not keep:
            self._found.append((fact, value, kind, place, words.data["say"][form]))
        else:
            self.fixed[place] = None
        self.barred |= {other for other in words.pools.get(slot, ()) if other != value}
        self.lacks_others(words, form, slot, value)

    def keeps(self, known: Callable[[str], bool], what: str) -> None:
        """Sentences of a sort stay; where there is none, two that are of that sort together.

        Raises:
            UnreadError: there are none at all; says `what` they state.
        """
        found = [Fixed(said, who) for who, said in spoken(self.text) if known(said)]
        if not found:
            found = [Fixed(said, who) for who, said in self._places() if known(said)][:1]
        if not found:
            raise UnreadError(what)
        self.fixed |= dict.fromkeys(found)

    def lacks(self, known: Phrases[None]) -> None:
        """None of these phrases may stand in a new text."""
        self.watches.append(lambda text: (phrase for phrase, _ in known.found(text)))

    def lacks_others(self, words: Grammar, form: str, slot: str, value: str = "") -> None:
        """No sentence of a kind may state anything but a value in a new text."""
        self.watches.append(partial(_other_values, words, form, slot, value))

    def keeps_holding(self, value: str) -> None:
        """The sentences in which a value stands stay.

        Raises:
            UnreadError: it stands nowhere.
        """
        found = holding(self.text, value)
        if found:
            self.fixed |= dict.fromkeys(found)
        elif value in self.text:
            self.fixed[Fixed(value)] = None  # it has more than one sentence
        else:
            raise UnreadError(value)

    def names(self, *facts: str) -> None:
        """These facts have to be named somewhere, if they are now."""
        self.literal |= {
            self.facts[fact]: None for fact in facts if stands(self.text, self.facts.get(fact, "\n"))
        }

    def demands(self, ref: str, column: str) -> Demands:
        """What has been collected, for a column of a record."""
        free = []
        for fact, value, kind, place, forms in self._found:
            rivals = [
                form for other in self._found if other[2] == kind and other[0] != fact for form in other[4]
            ]
            known = frozenset() if kind in _PLAIN else cues(forms, rivals)
            if kind in _PLAIN or known & stems(place.sentence):
                told = _as_told(value, kind, place.sentence)
                free.append(Free(fact, told, kind, known, place.speaker, turns(place.sentence)))
            else:
                self.fixed[place] = None  # nothing but its place says what the value is
        barred = frozenset(phrase for phrase in self.barred if not stands(self.text, phrase))
        return Demands(
            ref,
            column,
            self.text,
            tuple(self.fixed),
            tuple(free),
            tuple(self.literal),
            barred,
            tuple(self.watches),
        )

    def _sentence(self, words: Grammar, form: str, fact: str, slot: str) -> Fixed:
        for who, said in self._places():
            if read(words, form, said, slot) == {self.facts[fact]}:
                return Fixed(said, who)
        raise UnreadError(fact)

    def _places(self) -> Iterator[tuple[str, str]]:
        """Each sentence, then each with the next of the same speaker."""
        told = list(spoken(self.text))
        yield from told
        for (who, said), (other, following) in pairwise(told):
            if who == other:
                yield who, f"{said} {following}"


def _as_told(value: str, kind: str, sentence: str) -> str:
    """A value as `particulars` gives it, a number with what it counts, others as they are."""
    counted = re.search(rf"(?<!\w){re.escape(value)} [a-z]{{4,}}", sentence) if kind == "number" else None
    if counted:
        return counted[0]
    found = particulars(sentence)
    return next((form for form in (f"{value}%", f"{value} rupees", value) if form in found), value)


def _other_values(words: Grammar, form: str, slot: str, value: str, text: str) -> Iterator[str]:
    """What sentences of a kind state in `text` besides a value."""
    for _, said in spoken(text):
        yield from sorted(read(words, form, said, slot) - {value})
