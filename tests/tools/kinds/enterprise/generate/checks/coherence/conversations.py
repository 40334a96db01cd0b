"""Colleagues in a chat talk about one topic, reply to what was said, and keep small talk to one end."""

from __future__ import annotations

from collections.abc import Iterator

from tests.tools.kinds.enterprise.generate.checks.coherence.dialogue_phrases import Owner, Phrase, taken_apart
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry

_TELLING = ("say", "detail", "cite")


def incoherent_talk(chat: Record, facts: Facts) -> Iterator[str]:
    """Sentences about another topic or matter, replies to what nobody said, small talk amid the matter."""
    turns = [turn.partition(": ")[::2] for turn in chat["text"].splitlines()]
    opening = next((one for _, words in turns for one in _openings(words, facts.industry)), None)
    if opening is None:
        yield "it does not say what it is about"
        return
    topic, project = opening.values["topic"], opening.values["project"]
    intent = next(owner[1] for owner in opening.owners if owner[0] == "opening")
    phrases = [
        (place, speaker, one)
        for place, (speaker, words) in enumerate(turns)
        for one in taken_apart(words, topic, facts.industry)
    ]
    outcome = next(
        (one.values["outcome"] for _place, _speaker, one in phrases if "outcome" in one.values), ""
    )
    told: tuple[Owner, str] | None = None
    for _place, speaker, one in phrases:
        if not one.owners:
            yield f"{one.words!r} does not belong to a chat on the {topic}"
        elif not any(_fits(owner, intent, outcome) for owner in one.owners):
            yield f"{one.words!r} does not fit the matter, which is a {intent}, {outcome}"
        if one.values.get("project", project) != project:
            yield f"{one.words!r} is not about {project}"
        replies = [owner[1:] for owner in one.owners if owner[0] == "react"]
        if replies and (told is None or told[1] == speaker or told[0] not in replies):
            yield f"{one.words!r} replies to what nobody said"
        for owner in one.owners:
            if owner[0] in _TELLING:
                told = _occasion(owner, one), speaker
    small = {place for place, _speaker, one in phrases if any(owner[0] == "small" for owner in one.owners)}
    if small and small not in ({0, 1}, {len(turns) - 2, len(turns) - 1}):
        yield "small talk stands amid the matter"


def _openings(words: str, industry: Industry) -> Iterator[Phrase]:
    """What opens the matter of a chat."""
    for one in taken_apart(words, None, industry):
        if any(owner[0] == "opening" for owner in one.owners):
            yield one


def _fits(owner: Owner, intent: str, outcome: str) -> bool:
    """Whether a phrase may stand where this is the matter and this comes out."""
    data: dict[str, dict[str, list[str]]] = dict(grammar("conversations").data)
    if owner[0] in ("ask", "say"):
        return owner[1] in (*data["slots"][intent], f"outcome_{intent}")
    matters: set[str] = set(data["slots"]).union(*data["outcomes"].values())
    return matters & set(owner) <= {intent, outcome}


def _occasion(owner: Owner, one: Phrase) -> Owner:
    """What a reply to a phrase is filed under."""
    if owner[1].startswith("outcome_"):
        return ("outcome", one.values["outcome"])
    return owner if owner[0] == "cite" else owner[1:]
