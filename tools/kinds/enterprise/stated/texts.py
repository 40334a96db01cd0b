"""By source: which texts a record has, and what each of them has to state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from worksmith.tools.generating.latent import Latent
from worksmith.tools.kinds.enterprise.generate.business import clients
from worksmith.tools.kinds.enterprise.generate.business.product_problems import product_problems
from worksmith.tools.kinds.enterprise.generate.business.support_chats import PROMISES
from worksmith.tools.kinds.enterprise.generate.business.vendors import vendor_grammar
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.talk.mail import mail_grammar
from worksmith.tools.kinds.enterprise.generate.talk.partner_mail import partner_grammar
from worksmith.tools.kinds.enterprise.generate.talk.posts import post_grammar
from worksmith.tools.kinds.enterprise.generate.talk.threads import STATING
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.demands import Demands
from worksmith.tools.kinds.enterprise.stated.opinions import opinions
from worksmith.tools.kinds.enterprise.stated.particulars import spoken
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases
from worksmith.tools.kinds.enterprise.stated.reader import Reader
from worksmith.tools.kinds.enterprise.stated.sentences import read

Record = Mapping[str, str | None]

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


def demands(source: str, record: Record, latent: Latent, industry: Industry) -> Iterator[Demands]:
    """What each text of a record has to state.

    Args:
        latent: the facts of this record.
        industry: that of the company.

    Raises:
        UnreadError: a fact cannot be read back.
    """
    for column in COLUMNS[source]:
        if text := record[column]:
            yield demanded(latent, source, column, text, industry)


def demanded(latent: Latent, source: str, column: str, text: str, industry: Industry) -> Demands:
    """What a text has to state that stands in a column of a record.

    Raises:
        UnreadError: a fact cannot be read back.
    """
    reader = Reader(latent, text, industry)
    _SOURCES[source, column](reader)
    return reader.demands(latent.ref, column)


def _opinions(industry: Industry, text: str) -> Iterator[str]:
    """The sentences of a review that are opinions."""
    return (said for _, said in spoken(text) if any(opinions(said, industry)))


def _conversation(reader: Reader) -> None:
    words = grammar("conversations")
    for slot in words.data["slots"][reader.kind]:
        if slot in reader.facts:
            reader.states(words, slot)
    reader.states(words, "outcome", f"outcome_{reader.kind}")
    outcomes = words.data["outcomes"][reader.kind]
    reader.barred |= {outcome for outcome in outcomes if outcome != reader.facts["outcome"]}
    reader.names("topic", "project")


def _mail(reader: Reader) -> None:
    facts = reader.facts
    words, end = (partner_grammar(), "") if "partner" in facts else (mail_grammar(), f"_{reader.kind}")
    if "value" in facts:
        # The sentence says whether it is an offer, an agreement or a change.
        reader.states(words, "value", f"{facts['role']}{end}")
        reader.barred.clear()  # phrases of other matters may well be said
    for role in STATING:
        if f"{role}{end}" in words.data["say"]:
            reader.lacks_others(words, f"{role}{end}", "value")
    if "decided_by" in facts:
        own = any(read(words, f"own_{reader.kind}", said, "decided_by") for _, said in spoken(reader.text))
        reader.states(words, "decided_by", f"{'own' if own else 'by'}_{reader.kind}")
    reader.names(
        *(name for name in ("topic", "aspect", "project", "partner", "contact", "goods") if name in facts)
    )


def _support_chat(reader: Reader) -> None:
    words, facts = grammar("support_chats/words"), reader.facts
    for slot in ("order", "bought", "amount", "lead"):
        if slot in facts:
            reader.states(words, slot)
    for promise in PROMISES.values():
        if promise == facts["promise"]:
            reader.keeps(lambda said: bool(read(words, facts["promise"], said)), "promise")
        reader.lacks_others(words, promise, promise)
    for name in ("fix", "tip"):
        if name in facts:
            reader.keeps_holding(facts[name])
    if facts["outcome"] == "unresolved":
        reader.keeps(given_up().any, "outcome")
    else:
        reader.lacks(given_up())
    reader.keeps(reports(reader.industry, facts["problem"]).any, "problem")
    reader.names("aspect")


def _post(reader: Reader) -> None:
    words = post_grammar(reader.industry)
    for slot in words.data["kinds"][reader.kind]["facts"]:
        reader.states(words, slot, f"{slot}_{reader.kind}")
    reader.barred.clear()  # a post may name other places and products
    reader.names("topic", "project")


def _issue(reader: Reader) -> None:
    reader.keeps_holding(reader.facts["symptom"])
    reader.names("topic", "project")


def _resolution(reader: Reader) -> None:
    facts = reader.facts
    if "root_cause" in facts:
        reader.keeps_holding(facts["root_cause"])
        reader.keeps_holding(facts["clause"])
        reader.keeps(_in_time().any, "sla")


def _review(reader: Reader) -> None:
    reader.states(grammar("reviews/words"), "stars")
    reader.keeps(lambda said: any(opinions(said, reader.industry)), "polarity")
    reader.watches.append(partial(_opinions, reader.industry))
    if reader.facts["follow_up"] == "yes":
        reader.keeps(follow_ups().any, "follow_up")
    else:
        reader.lacks(follow_ups())


def _client(reader: Reader) -> None:
    for fact in reader.facts:
        reader.states(clients.WORDS, fact)


def _vendor(reader: Reader) -> None:
    words = vendor_grammar(reader.industry)
    for fact in reader.facts:
        reader.states(words, fact)


def _forum(reader: Reader) -> None:
    words = grammar("overflow/words")
    if reader.kind == "question":
        reader.states(words, "error_code")
        reader.names("topic", "project", "problem")
        return
    reader.keeps_holding(reader.facts["fix"])
    # What the asker replied says whether it helped; code stays as it is.
    for paragraph in reader.text.split("\n\n"):
        if paragraph.startswith((*words.data["comment"]["by"], "    ")):
            reader.fixed[paragraph] = None


@cache
def given_up() -> Phrases[None]:
    """How a support chat ends without a solution."""
    return Phrases((form, None) for form in texts("support_chats/words")["say"]["unresolved"])


@cache
def reports(industry: Industry, problem: str) -> Phrases[None]:
    """How a customer reports a problem."""
    return Phrases((form, None) for form in product_problems(industry)[problem].says)


@cache
def follow_ups() -> Phrases[None]:
    """How a second review begins."""
    return Phrases((form, None) for form in texts("reviews/words")["openings"]["follow_up"])


@cache
def _in_time() -> Phrases[None]:
    said = texts("tickets/words")["say"]
    return Phrases((form, None) for form in (*said["met"], *said["missed"]))


_SOURCES: Mapping[tuple[str, str], Callable[[Reader], None]] = {
    ("conversations", "text"): _conversation,
    ("mail", "body"): _mail,
    ("support_chats", "text"): _support_chat,
    ("posts", "body"): _post,
    ("tickets", "issue"): _issue,
    ("tickets", "resolution"): _resolution,
    ("sentiments", "review_content"): _review,
    ("clients", "engagement_description"): _client,
    ("vendors", "relationship_description"): _vendor,
    ("overflow", "body"): _forum,
}
