"""The facts of a conversation, read from its records alone, and whether its agents kept to the articles.

Nothing here looks at plans: tests compare the facts of the texts with the plans.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from worksmith.tools.kinds.crm.generate.entities import Violation
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.wording import Said, texts

_LINE = re.compile(r"\[\d\d:\d\d:\d\d\] (?P<name>[^(]+) \((?P<role>Agent|Customer)\): (?P<text>.*)")
_OFFER, _PROBLEM, _LIMIT = "offer_", "problem_", "limit_"

Record = Mapping[str, str | None]


@dataclass(frozen=True)
class Rules:
    """The rules of an article: the proof that the customer must send, and the limits by remedy."""

    step: str
    limits: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Turn:
    speaker: str
    from_agent: bool
    text: str


@dataclass
class Heard:
    """One thing that a customer brought up, and what came of it; the fields are those of plans."""

    issue: str
    given: set[str] = field(default_factory=set)
    waived: set[str] = field(default_factory=set)
    remedies: list[tuple[str, dict[str, int]]] = field(default_factory=list)
    unsupported: bool = False
    promised: bool = False
    no_promise: bool = False
    requested: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


@dataclass
class Hearing:
    """All facts of a conversation.

    Attributes:
        unclear: sentences that are not of the grammar, or have several readings.
        agents: those who speak, in order; `announced` those who get the case.
        misnamed: agents who introduce themselves by another name than that of who speaks.
    """

    concerns: list[Heard] = field(default_factory=list)
    products: set[str] = field(default_factory=set)
    days: set[str] = field(default_factory=set)
    agents: list[str] = field(default_factory=list)
    announced: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def read_rules(text: str, industry: Industry) -> Rules:
    step, limits = "", {}
    for said in industry.rules.read(text):
        if not said.kind:
            raise ValueError(f"unclear: {said.text}")
        if said.kind == "step":
            step = said.facts["step"]
        elif said.kind.startswith(_LIMIT):
            values = {name: int(value) for name, value in said.facts.items()}
            limits[said.kind.removeprefix(_LIMIT)] = values
    return Rules(step, limits)


def turns_of_transcript(body: str) -> list[Turn]:
    turns = []
    for line in body.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"not a line of a transcript: {line}")
        turns.append(Turn(found["name"], found["role"] == "Agent", html.unescape(found["text"])))
    return turns


def turn_of_mail(mail: Record, industry: Industry) -> Turn:
    """The author and text of an e-mail, without letterhead and signature."""
    from_agent = str(mail["FromAddress"]).endswith(industry.data.agents_at)
    _, _, text, _, _, author, *_ = str(mail["TextBody"]).split("\n")
    return Turn(author, from_agent, text)


def hear(turns: Iterable[Turn], industry: Industry) -> Hearing:
    hearing = Hearing()
    for turn in turns:
        if turn.from_agent and turn.speaker not in hearing.agents:
            hearing.agents.append(turn.speaker)
        for said in industry.conversations.read(turn.text):
            _note(hearing, turn, said)
    return hearing


def verdict(heard: Heard, article: Rules, days: int) -> set[Violation]:
    """In which ways the article of its issue was broken, `days` after the order."""
    broken: set[Violation] = set()
    for remedy, amounts in heard.remedies:
        limits = article.limits.get(remedy)
        if limits is None:
            broken.add("unlisted")
        elif days > limits.get("within", days):
            broken.add("late")
        elif any(value > limits[name] for name, value in amounts.items()):
            broken.add("excess")
    if heard.unsupported or (heard.remedies and article.step not in heard.given):
        broken.add("skipped_step")
    if heard.promised:
        broken.add("promise")
    return broken


def _note(hearing: Hearing, turn: Turn, said: Said) -> None:
    """Add the facts of one sentence; its subject is the customer's last one."""
    if not said.kind:
        hearing.unclear.append(said.text)
    if "product" in said.facts:
        hearing.products.add(said.facts["product"])
    if said.kind.startswith(_PROBLEM):
        hearing.concerns.append(Heard(said.kind.removeprefix(_PROBLEM)))
    elif said.kind == "bought":
        hearing.days.add(said.facts["day"])
    elif said.kind == "handover":
        hearing.announced.append(said.facts["agent"])
    elif said.kind in ("welcome", "takeover") and said.facts["agent"] != turn.speaker:
        hearing.misnamed.append(turn.speaker)
    elif hearing.concerns:
        _note_concern(hearing.concerns[-1], said)


def _note_concern(heard: Heard, said: Said) -> None:
    if said.kind.startswith(_OFFER):
        amounts = {name: int(value) for name, value in said.facts.items() if value.isdigit()}
        heard.remedies.append((said.kind.removeprefix(_OFFER), amounts))
        heard.unsupported = heard.unsupported or not heard.given
    elif said.kind == "give":
        heard.given.add(said.facts["step"])
    elif said.kind == "waive":
        heard.waived.add(said.facts["step"])
    elif said.kind in ("request", "refuse"):
        wanted = heard.requested if said.kind == "request" else heard.refused
        wanted.add(_remedy(said.facts["remedy"]))
    elif said.kind == "promise":
        heard.promised = True
    elif said.kind == "no_promise":
        heard.no_promise = True


def _remedy(name: str) -> str:
    return next(str(remedy) for remedy, named in texts("policies")["names"].items() if named == name)
