"""The texts of support chats: plots whose sentences come from the problem and from what any chat has."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from worksmith.tools.kinds.enterprise.generate.business.deck import Deck
from worksmith.tools.kinds.enterprise.generate.business.product_problems import ProductProblem
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Sale
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import fill, texts, with_article

_WORDS = grammar("support_chats/words")
_MAYBE = 0.5
_NUMBERS = {
    "few": ("two", "three", "four", "five", "six"),
    "several": ("seven", "eight", "nine", "eleven", "twelve", "fourteen"),
    "large": ("thirty", "forty", "sixty", "eighty"),
}
_PIECE_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 12: "twelve", 20: "twenty"}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SPANS = ((2, "two days"), (4, "four days"), (8, "a week"), (15, "two weeks"), (22, "three weeks"))
"""What one may say of a time since the purchase, by the least number of days."""

_PIECES = {"replacement": "one_of_many", "refund": "all_of_many"}
"""What is said of the other pieces of a larger order, by outcome."""


@dataclass(frozen=True)
class Chat:
    """What decides the text of a chat, besides chance.

    Attributes:
        tried: places of the steps that were tried, in the problem; all but the last did not help.
    """

    day: date
    sale: Sale
    representative: Employee
    problem: ProductProblem
    tried: tuple[int, ...]


def chat_slots(numbers: random.Random, chat: Chat) -> dict[str, str]:
    """What the sentences of a chat may name."""
    sale, customer = chat.sale, chat.sale.customer
    first = "" if customer.business else customer.name.split()[0]
    few, several, large = (numbers.choice(words) for words in _NUMBERS.values())
    quantity = _PIECE_COUNTS.get(sale.quantity, str(sale.quantity))
    spans = [span for least, span in _SPANS if least <= (chat.day - sale.day).days]
    return {
        "customer": customer.name,
        "you": f", {first}" if first else "",
        "dear": f" {first}" if first else "",
        "region": customer.region,
        "product": sale.product.name,
        "brand": sale.product.brand,
        "kind": sale.product.short,
        "a_kind": with_article(sale.product.short),
        "part": chat.problem.part,
        "quantity": quantity,
        "all": "Both" if sale.quantity == 2 else f"All {quantity}",
        "agent": chat.representative.first_name,
        "few": few,
        "few_cap": few.capitalize(),
        "several": several,
        "large": large,
        "weekday": numbers.choice(_WEEKDAYS),
        "span": spans[-1],
    }


def write_chat(
    industry: Industry,
    numbers: random.Random,
    deck: Deck,
    chat: Chat,
    facts: Mapping[str, str],
    slots: Mapping[str, str],
) -> str:
    """The turns of one of the outcome's plots.

    Args:
        industry: that of the company.
        numbers: the chat's own stream.
        deck: draws the wordings, over all chats.
        chat: what it is about.
        facts: what it states, in canonical form.
        slots: of `chat_slots`.
    """
    writer = _Writer(industry, numbers, deck, chat, facts, slots)
    lines: list[tuple[str, list[str]]] = []
    for speaker, said in writer.turns(deck.draw(facts["outcome"], _WORDS.data["plots"][facts["outcome"]])):
        if said and lines and lines[-1][0] == speaker:
            lines[-1][1].extend(said)
        elif said:
            lines.append((speaker, said))
    return "\n".join(f"{speaker}: {' '.join(said)}" for speaker, said in lines)


class _Writer:
    def __init__(
        self,
        industry: Industry,
        numbers: random.Random,
        deck: Deck,
        chat: Chat,
        facts: Mapping[str, str],
        slots: Mapping[str, str],
    ) -> None:
        self._numbers, self._deck, self._chat, self._facts, self._slots = numbers, deck, chat, facts, slots
        self._industry = industry
        self._kind = chat.sale.product.kind
        self._stated = dict(slots) | dict(facts) | {facts["promise"]: facts.get("due", "")}
        self._special: dict[str, Callable[[], Iterator[str]]] = {
            "hello": self._hello,
            "says": lambda: self._own("says", chat.problem.says),
            "when": lambda: self._own("when", chat.problem.when),
            "why": lambda: self._own("why", chat.problem.why),
            "no": lambda: iter([fill(chat.problem.no, slots)]),
            "ask": lambda: self._questions(slice(0, 1)),
            "asks": lambda: self._questions(slice(1, None)),
            "answer": lambda: self._answers(slice(0, 1)),
            "answers": lambda: self._answers(slice(1, None)),
            "pieces": self._pieces,
            "aside": self._aside,
            "unresolved": lambda: iter(
                [fill(deck.draw("unresolved", _WORDS.data["say"]["unresolved"]), slots)]
            ),
        }

    def turns(self, plot: list[str]) -> Iterator[tuple[str, list[str]]]:
        for turn in plot:
            if turn == "tries":
                yield from self._tries()
            elif turn == "tips":
                for tip, reaction in self._chat.problem.steps:
                    yield "Agent", [fill(tip, self._slots)]
                    yield "Customer", [fill(reaction, self._slots)]
            else:
                speaker, _, names = turn.partition(": ")
                yield speaker, [sentence for name in names.split() for sentence in self._said(name)]

    def _said(self, name: str) -> Iterator[str]:
        if name.endswith("?"):
            if self._numbers.random() >= _MAYBE:
                return
            name = name.removesuffix("?")
        if name.startswith("!"):
            form = self._deck.draw(name, _WORDS.data["say"][name[1:]])
            yield _WORDS.fill(form, self._stated)
        elif name in self._special:
            yield from self._special[name]()
        else:
            yield self._common(name)

    def _common(self, name: str) -> str:
        return fill(self._deck.draw((name, self._kind), _WORDS.data["turns"][name]), self._slots)

    def _own(self, field: str, wordings: tuple[str, ...]) -> Iterator[str]:
        yield fill(self._deck.draw((self._chat.problem.key, field), wordings), self._slots)

    def _questions(self, which: slice) -> Iterator[str]:
        for question, *_ in self._chat.problem.ask[which]:
            yield fill(question, self._slots)

    def _answers(self, which: slice) -> Iterator[str]:
        for question, *answers in self._chat.problem.ask[which]:
            yield fill(self._deck.draw((self._chat.problem.key, question), answers), self._slots)

    def _hello(self) -> Iterator[str]:
        yield self._common("hello_business" if self._chat.sale.customer.business else "hello")

    def _pieces(self) -> Iterator[str]:
        if self._chat.sale.quantity > 1:
            yield self._common(_PIECES[self._facts["outcome"]])

    def _aside(self) -> Iterator[str]:
        known = [*self._industry.asides["asides"], *texts("support_chats/asides")["asides"]]
        fitting = [sentence for aside in known if self._fits(aside) for sentence in aside["say"]]
        if fitting:
            yield self._deck.draw(("aside", *fitting), fitting)

    def _fits(self, aside: Mapping[str, Any]) -> bool:
        """Whether kind of product, month and sort of customer are those of an aside."""
        customer = self._chat.sale.customer
        named = aside.get("named", [])
        return (
            (not aside.get("kinds") or self._kind in aside["kinds"])
            and (not aside.get("months") or self._chat.day.month in aside["months"])
            and (any(word in customer.name for word in named) if customer.business else not named)
        )

    def _tries(self) -> Iterator[tuple[str, list[str]]]:
        """Each step, and how it went: the last one helped if the chat ends with that."""
        helped = self._facts["outcome"] == "troubleshooting"
        for number, place in enumerate(self._chat.tried):
            last = number == len(self._chat.tried) - 1
            step, worked, failed = self._chat.problem.steps[place]
            lead = "lead_next" if number else "lead_step"
            yield "Agent", [self._common(lead), fill(step, self._slots), *self._said("pause?")]
            yield "Customer", [self._common("back"), fill(worked if helped and last else failed, self._slots)]
