"""A conversation from its plan."""

from __future__ import annotations

import random
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Literal

from worksmith.tools.kinds.crm.generate.entities import Agent, CaseFile
from worksmith.tools.kinds.crm.generate.industry import Industry
from worksmith.tools.kinds.crm.generate.plans import Concern, Plan
from worksmith.tools.kinds.crm.generate.wording import cities, texts

Side = Literal["customer", "agent"]
ASIDES = 12
"""How many small questions there are that have nothing to do with the case."""
_PURPOSE = 0.6


@dataclass(frozen=True)
class Shape:
    """Which parts a conversation has that are not needed.

    Attributes:
        asks: the agent asks for what the policy wants; else the customer sends it unasked.
        asides: how many small questions there are.
        replies: the customer reacts to the remedy; `closes` the agent says a last word.
        turns: of an open case, how many messages there are so far.
        spoken: it is a telephone call, written down as it was spoken.
    """

    asks: bool = True
    asides: int = 0
    replies: bool = True
    closes: bool = True
    turns: int = 0
    spoken: bool = False


@dataclass(frozen=True)
class Utterance:
    """One utterance, by or to `agent`; `hands_over` marks the last word of the first agent."""

    side: Side
    agent: Agent
    sentences: tuple[str, ...]
    hands_over: bool = False


class Dialogue:
    def __init__(self, industry: Industry, numbers: random.Random, case: CaseFile, plan: Plan) -> None:
        self._grammar = industry.conversations
        self._numbers = numbers
        self._case = case
        self._plan = plan
        self._names = texts("policies")["names"]
        self._agent = case.agent
        self._said: list[Utterance] = []
        self._welcomed = False
        product = case.item.product
        self._about = {product.shape, plan.concerns[0].policy.key, case.channel}
        if not any(concern.refused for concern in plan.concerns):
            self._about.add("granted")
        self._facts = {
            "product": product.name,
            "day": case.item.order.day.isoformat(),
            "city": case.customer.city,
            "place": numbers.choice([city for city in cities() if city != case.customer.city]),
        }
        if case.channel == "chat":
            self._facts["first"] = case.customer.first_name

    def write(self, shape: Shape) -> list[Utterance]:
        first, *others = self._plan.concerns
        self._style = "call" if shape.spoken else "written"
        self._about.add(self._style)
        asks = shape.asks and first.gives
        self._customer(*self._opening(first, unasked=first.gives and not asks))
        if asks:
            self._agent_says(self._sentence("sorry"), self._step("ask", first))
            self._customer(self._step("give", first), *self._request(first))
        self._transfer()
        if self._case.closed is None:
            if not asks:
                self._agent_says(self._sentence("sorry"), self._step("ask", first))
            return self._said[: max(shape.turns, self._needed())]
        self._agent_says(self._sentence("checked"), *self._resolution(first))
        for concern in others:
            besides = "besides" if _together(first, concern) else "besides_other"
            self._customer(self._sentence(besides), self._problem(concern), self._step("give", concern))
            self._agent_says(*self._resolution(concern))
        for number in self._numbers.sample(range(1, ASIDES + 1), shape.asides):
            self._customer(self._sentence(f"aside_ask_{number}"))
            self._agent_says(self._sentence(f"aside_answer_{number}"))
        if shape.replies:
            self._customer(self._sentence("accept"))
        if shape.closes:
            self._agent_says(self._sentence("closing"))
        return self._said

    def _needed(self) -> int:
        """The turn up to which an open conversation must go: to a handover if there was one."""
        places = [place for place, each in enumerate(self._said, 1) if each.hands_over]
        return places[0] if places else 1

    def _opening(self, concern: Concern, *, unasked: bool) -> list[str]:
        sentences = [self._problem(concern), self._bought()]
        self._numbers.shuffle(sentences)
        if concern.policy.key in self._grammar.data["purposes"] and self._numbers.random() < _PURPOSE:
            sentences.append(self._sentence("purpose"))
        if self._numbers.random() < 0.5:
            sentences.insert(0, self._sentence("mood"))
        if unasked:
            sentences.append(self._step("give", concern))
        if not (concern.gives and not unasked):
            sentences += self._request(concern)
        return [*sentences, self._sentence("wish")]

    def _resolution(self, concern: Concern) -> list[str]:
        sentences = [self._step("waive", concern)] if concern.waived else []
        if concern.refused is not None:
            sentences.append(self._sentence("refuse", {"remedy": self._names[concern.refused]}))
        amounts = {name: str(value) for name, value in concern.amounts.items()}
        sentences.append(self._sentence(f"offer_{concern.remedy}", amounts))
        about = {concern.remedy or "", self._style}
        if concern.promised:
            sentences.append(self._sentence("promise", about=about))
        if concern.no_promise:
            sentences.append(self._sentence("no_promise", about=about))
        return sentences

    def _transfer(self) -> None:
        if self._case.transferred is None:
            return
        owner = self._case.owner
        self._agent_says(self._sentence("handover", {"agent": owner.name}), hands_over=True)
        self._agent = owner
        self._welcomed = False

    def _request(self, concern: Concern) -> list[str]:
        if concern.requested is None:
            return []
        return [self._sentence("request", {"remedy": self._names[concern.requested]})]

    def _problem(self, concern: Concern) -> str:
        return self._sentence(f"problem_{concern.policy.key}")

    def _bought(self) -> str:
        return self._sentence("bought")

    def _step(self, kind: str, concern: Concern) -> str:
        return self._sentence(kind, {"step": concern.policy.step})

    def _sentence(
        self, kind: str, facts: Mapping[str, str] | None = None, about: Set[str] | None = None
    ) -> str:
        known = {**self._facts, **(facts or {})}
        return self._grammar.say(self._numbers, kind, known, self._about if about is None else about)

    def _customer(self, *sentences: str) -> None:
        self._said.append(Utterance("customer", self._agent, sentences))

    def _agent_says(self, *sentences: str, hands_over: bool = False) -> None:
        if not self._welcomed:
            kind = "welcome" if self._agent is self._case.agent else "takeover"
            sentences = (self._sentence(kind, {"agent": self._agent.name}), *sentences)
            self._welcomed = True
        self._said.append(Utterance("agent", self._agent, sentences, hands_over))


def length(shape: Shape, case: CaseFile, plan: Plan) -> int:
    """How many utterances `Dialogue.write` makes of a closed case."""
    asks = 2 * (shape.asks and plan.concerns[0].gives)
    moved = case.transferred is not None
    optional = 2 * shape.asides + shape.replies + shape.closes
    return 1 + asks + moved + 1 + 2 * (len(plan.concerns) - 1) + optional


def describe(
    industry: Industry,
    numbers: random.Random,
    issue: str,
    product: str,
    day: str | None = None,
    city: str | None = None,
    problem: str | None = None,
) -> tuple[str, str]:
    """Subject and description of a case as the customer writes them; they do not name the issue.

    Args:
        industry: of the company that sells the product.
        issue: key of the issue's policy.
        product: its name.
        day: of the order, if the customer gives it.
        city: of the customer; else any.
        problem: the sentence with the problem; else any.
    """
    grammar = industry.conversations
    about = {industry.shape_of(product), issue, "written"}
    facts = {"product": product, "city": city or numbers.choice(cities())}
    sentences = [problem or grammar.say(numbers, f"problem_{issue}", facts, about)]
    if day is not None:
        sentences.append(grammar.say(numbers, "bought", {**facts, "day": day}, about))
    if numbers.random() < 0.5:
        sentences.insert(0, grammar.say(numbers, "mood", facts, about))
    sentences.append(grammar.say(numbers, "wish", facts, about))
    subject = grammar.fill(numbers.choice(grammar.data["subjects"]["subject"]), facts)
    return subject, " ".join(sentences)


def _together(one: Concern, other: Concern) -> bool:
    """Whether both can be true of one product."""
    data = texts("conversations")
    keys = {one.policy.key, other.policy.key}
    return not keys <= set(data["states"]) or any(keys == set(pair) for pair in data["together"])
