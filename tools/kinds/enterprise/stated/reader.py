"""Finds where a text states the facts of its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.stated.demands import Demands, Watch, holding, stands
from worksmith.tools.kinds.enterprise.stated.particulars import spoken
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.sentences import read


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
        self.fixed: dict[str, None] = {}
        self.literal: dict[str, None] = {}
        self.barred: set[str] = set()
        self.watches: list[Watch] = []

    def states(self, words: Grammar, fact: str, form: str = "") -> None:
        """The text states `fact` in a sentence of the kind `form` (else named as the fact).

        Raises:
            UnreadError: no sentence states it.
        """
        form = form or fact
        slot = fact if f"{{{fact}}}" in "".join(words.data["say"][form]) else form
        value = self.facts[fact]
        self.keeps(lambda said: read(words, form, said, slot) == {value}, fact)
        self.barred |= {other for other in words.pools.get(slot, ()) if other != value}
        self.watches.append(partial(_stated, words, form, slot))

    def keeps(self, known: Callable[[str], bool], what: str) -> None:
        """Sentences of a sort stay; where there is none, two that are of that sort together.

        Raises:
            UnreadError: there are none at all; says `what` they state.
        """
        found = [said for _, said in spoken(self.text) if known(said)]
        if not found:
            pairs = pairwise(spoken(self.text))
            found = [
                said
                for (who, first), (other, second) in pairs
                if who == other and known(f"{first} {second}")
                for said in (first, second)
            ][:2]
        if not found:
            raise UnreadError(what)
        self.fixed |= dict.fromkeys(found)

    def lacks(self, known: Phrases[None]) -> None:
        """No other of these phrases may come in."""
        self.watches.append(lambda text: (phrase for phrase, _ in known.found(text)))

    def lacks_others(self, words: Grammar, form: str, slot: str) -> None:
        """No sentence of a kind may state another value."""
        self.watches.append(partial(_stated, words, form, slot))

    def keeps_holding(self, value: str) -> None:
        """The sentences in which a value stands stay.

        Raises:
            UnreadError: it stands nowhere.
        """
        found = holding(self.text, value)
        if found:
            self.fixed |= dict.fromkeys(found)
        elif value in self.text:
            self.fixed[value] = None  # it has more than one sentence
        else:
            raise UnreadError(value)

    def names(self, *facts: str) -> None:
        """These facts have to be named somewhere, if they are now."""
        self.literal |= {
            self.facts[fact]: None for fact in facts if stands(self.text, self.facts.get(fact, "\n"))
        }

    def demands(self, ref: str, column: str) -> Demands:
        """What has been collected, for a column of a record; a question stays with its answer."""
        for (_, question), (_, answer) in pairwise(spoken(self.text)):
            if question.endswith("?") and answer in self.fixed:
                self.fixed[question] = None
        return Demands(
            ref,
            column,
            self.text,
            tuple(self.fixed),
            tuple(self.literal),
            frozenset(self.barred),
            tuple(self.watches),
        )


def _stated(words: Grammar, form: str, slot: str, text: str) -> Iterator[str]:
    """What sentences of a kind state in `text`."""
    for _, said in spoken(text):
        yield from read(words, form, said, slot)
