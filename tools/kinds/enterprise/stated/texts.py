"""By source: which texts a record has, and what each of them has to state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import pairwise

from tools.generating.latent import Latent
from tools.kinds.enterprise.generate.business import clients, vendors
from tools.kinds.enterprise.generate.business.product_problems import product_problems
from tools.kinds.enterprise.generate.business.support_chats import PROMISES
from tools.kinds.enterprise.generate.grammar import Grammar, grammar
from tools.kinds.enterprise.generate.talk.mail import mail_grammar
from tools.kinds.enterprise.generate.talk.partner_mail import partner_grammar
from tools.kinds.enterprise.generate.talk.posts import post_grammar
from tools.kinds.enterprise.generate.wording import texts
from tools.kinds.enterprise.stated.demands import (
    Demands,
    Fixed,
    Free,
    Watch,
    cues,
    denies,
    holding,
    stands,
    stems,
)
from tools.kinds.enterprise.stated.opinions import opinions
from tools.kinds.enterprise.stated.particulars import particulars, spoken
from tools.kinds.enterprise.stated.phrases import Phrases
from tools.kinds.enterprise.stated.sentences import read

Record = Mapping[str, str | None]

_VALUES = ("day", "money", "percent", "number", "person", "name", "key")
"""Types of values that may be said in other words."""

_PLAIN = ("key", "name")
"""Values of these types say themselves what they are."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "conversations": ("text",),
    "mail": ("body",),
    "support_chats": ("text",),
    "posts": ("body",),
    "tickets": ("issue", "resolution"),
    "sentiments": ("review_content",),
    "clients": ("engagement_description",),
    "vendors": ("relationship_description",),
    "overflow": ("body",),
}
"""The texts of a record, by source."""


class UnreadError(Exception):
    """A fact cannot be read back from a text, so that nothing could check another wording."""


class _Reader:
    """Finds where a text states the facts of its record, and collects what it demands."""

    def __init__(self, latent: Latent, text: str) -> None:
        self.facts, self.kind, self.text = latent.facts, latent.kind, text
        self.fixed: dict[Fixed, None] = {}
        self.literal: dict[str, None] = {}
        self.barred: set[str] = set()
        self.watches: list[Watch] = []
        self._found: list[tuple[str, str, str, Fixed, list[str]]] = []

    def states(self, words: Grammar, fact: str, form: str = "", *, keep: bool = False) -> None:
        """The text states `fact` in a sentence of the kind `form` (else named as the fact).

        Args:
            keep: the sentence stays, though it states a mere value.
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
        self.watches.append(partial(_other_values, words, form, slot, value))

    def keeps(self, known: Phrases[None], what: str, *, least: int = 1) -> None:
        """Sentences with one of these phrases stay; there are so many at least."""
        found = [Fixed(said, who) for who, said in self.places() if any(True for _ in known.found(said))]
        if len(found) < least:
            raise UnreadError(what)
        self.fixed |= dict.fromkeys(found)

    def keeps_holding(self, value: str) -> None:
        """The sentences in which a value stands stay."""
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
        free = []
        for fact, value, kind, place, forms in self._found:
            rivals = [
                form for other in self._found if other[2] == kind and other[0] != fact for form in other[4]
            ]
            known = frozenset() if kind in _PLAIN else cues(forms, rivals)
            if kind in _PLAIN or known & stems(place.sentence):
                told = _as_told(value, kind, place.sentence)
                free.append(Free(fact, told, kind, known, place.speaker, denies(place.sentence)))
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
        for who, said in self.places():
            if read(words, form, said, slot) == {self.facts[fact]}:
                return Fixed(said, who)
        raise UnreadError(fact)

    def places(self) -> Iterator[tuple[str, str]]:
        """Each sentence, then each with the next of the same speaker."""
        told = list(spoken(self.text))
        yield from told
        for (who, said), (other, following) in pairwise(told):
            if who == other:
                yield who, f"{said} {following}"


def demands(source: str, record: Record, latents: Iterable[Latent]) -> Iterator[Demands]:
    """What each text of a record has to state.

    Args:
        latents: the facts of this record.

    Raises:
        UnreadError: a fact cannot be read back.
    """
    for latent in latents:
        for column in COLUMNS[source]:
            if text := record[column]:
                reader = _Reader(latent, text)
                _SOURCES[source, column](reader)
                found = reader.demands(latent.ref, column)
                if found.objections(text):
                    raise UnreadError(latent.ref)
                yield found


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


def _second_opinions(text: str) -> Iterator[str]:
    """The opinions of a review after the first one."""
    found = [said for _, said in spoken(text) if any(opinions(said))]
    yield from found[1:]


def _conversation(reader: _Reader) -> None:
    words = grammar("conversations")
    for slot in words.data["slots"][reader.kind]:
        if slot in reader.facts:
            reader.states(words, slot)
    reader.states(words, "outcome", f"outcome_{reader.kind}")
    outcomes = words.data["outcomes"][reader.kind]
    reader.barred |= {outcome for outcome in outcomes if outcome != reader.facts["outcome"]}
    reader.names("topic", "project")


def _mail(reader: _Reader) -> None:
    facts = reader.facts
    if "value" in facts:
        # The sentence says whether it is an offer, an agreement or a change.
        partner = "partner" in facts
        words = partner_grammar() if partner else mail_grammar()
        reader.states(
            words, "value", facts["role"] if partner else f"{facts['role']}_{reader.kind}", keep=True
        )
        reader.barred.clear()  # phrases of other matters may well be said
    if "decided_by" in facts:
        words = mail_grammar()
        own = any(read(words, f"own_{reader.kind}", said, "decided_by") for _, said in spoken(reader.text))
        reader.states(words, "decided_by", f"{'own' if own else 'by'}_{reader.kind}", keep=own)
    reader.names(*(name for name in ("topic", "project", "partner", "contact", "goods") if name in facts))


def _support_chat(reader: _Reader) -> None:
    words, facts = grammar("support_chats/words"), reader.facts
    for slot in ("order", "bought", "amount", "lead"):
        if slot in facts:
            reader.states(words, slot)
    for promise in PROMISES.values():
        found = [Fixed(said, who) for who, said in spoken(reader.text) if read(words, promise, said)]
        if bool(found) != (promise == facts["promise"] or promise == PROMISES.get(facts["outcome"])):
            raise UnreadError(promise)
        reader.fixed |= dict.fromkeys(found)
        reader.watches.append(
            partial(_other_values, words, promise, promise, facts.get("due", "") if found else "")
        )
    for name in ("fix", "tip"):
        if name in facts:
            reader.keeps_holding(facts[name])
    if facts["outcome"] == "unresolved":
        reader.keeps(given_up(), "outcome")
    else:
        reader.watches.append(lambda text: (phrase for phrase, _ in given_up().found(text)))
    reader.keeps(reports(facts["problem"]), "problem")


def _post(reader: _Reader) -> None:
    words = post_grammar()
    for slot in words.data["kinds"][reader.kind]["facts"]:
        reader.states(words, slot, f"{slot}_{reader.kind}")
    reader.barred.clear()  # a post may name other places and products
    reader.names("topic", "project")


def _issue(reader: _Reader) -> None:
    reader.keeps_holding(reader.facts["symptom"])
    reader.names("topic", "project")


def _resolution(reader: _Reader) -> None:
    facts = reader.facts
    if "root_cause" in facts:
        reader.keeps_holding(facts["root_cause"])
        reader.keeps_holding(facts["clause"])
        reader.keeps(_in_time(), "sla")


def _review(reader: _Reader) -> None:
    reader.states(grammar("reviews/words"), "stars")
    for _, said in reader.places():
        if any(opinions(said)):
            reader.fixed[Fixed(said)] = None
            break
    else:
        raise UnreadError("polarity")
    reader.watches.append(_second_opinions)
    if reader.facts["follow_up"] == "yes":
        reader.keeps(follow_ups(), "follow_up")
    else:
        reader.watches.append(lambda text: (phrase for phrase, _ in follow_ups().found(text)))


def _described(words: Grammar, reader: _Reader) -> None:
    for fact in reader.facts:
        reader.states(words, fact)


def _forum(reader: _Reader) -> None:
    words = grammar("overflow/words")
    if reader.kind == "question":
        reader.states(words, "error_code")
        reader.names("topic", "project", "problem")
        return
    reader.keeps_holding(reader.facts["fix"])
    # What the asker replied says whether it helped; code stays as it is.
    for paragraph in reader.text.split("\n\n"):
        if paragraph.startswith((*words.data["comment"]["by"], "    ")):
            reader.fixed[Fixed(paragraph)] = None


@cache
def given_up() -> Phrases[None]:
    """How a support chat ends without a solution."""
    return Phrases((form, None) for form in texts("support_chats/words")["say"]["unresolved"])


@cache
def reports(problem: str) -> Phrases[None]:
    """How a customer reports a problem."""
    return Phrases((form, None) for form in product_problems()[problem].says)


@cache
def follow_ups() -> Phrases[None]:
    """How a second review begins."""
    return Phrases((form, None) for form in texts("reviews/words")["openings"]["follow_up"])


@cache
def _in_time() -> Phrases[None]:
    said = texts("tickets/words")["say"]
    return Phrases((form, None) for form in (*said["met"], *said["missed"]))


_SOURCES: Mapping[tuple[str, str], Callable[[_Reader], None]] = {
    ("conversations", "text"): _conversation,
    ("mail", "body"): _mail,
    ("support_chats", "text"): _support_chat,
    ("posts", "body"): _post,
    ("tickets", "issue"): _issue,
    ("tickets", "resolution"): _resolution,
    ("sentiments", "review_content"): _review,
    ("clients", "engagement_description"): partial(_described, clients.WORDS),
    ("vendors", "relationship_description"): partial(_described, vendors.WORDS),
    ("overflow", "body"): _forum,
}
