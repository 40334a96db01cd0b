"""A support chat is about one problem, which the product that was bought can have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.tools.kinds.enterprise.generate.checks.coherence.products import kind_bought
from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.tools.kinds.enterprise.generate.business.product_problems import (
    ProductProblem,
    product_problems,
)
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.wording import texts
from worksmith.tools.kinds.enterprise.stated.phrases import Phrases


def incoherent_chat(chat: Record, facts: Facts) -> Iterator[str]:
    """What does not belong to the problem that the chat states, or to the product or the customer."""
    text = chat["text"]
    stated = {one.key: one for _, owners in _reports(facts.industry).found(text) for one in owners}
    if len(stated) != 1:
        yield f"it states {len(stated)} problems"
        return
    [problem] = stated.values()
    kind = kind_bought(chat, facts)
    if kind not in problem.kinds:
        yield f"{problem.key!r} is no problem of a {kind}"
    for phrase, owners in _phrases(facts.industry).found(text):
        if problem not in owners:
            yield f"{phrase!r} does not belong to the problem {problem.key!r}"
    if not any(phrase in text for phrase in problem.why) or not any(ask[0] in text for ask in problem.ask):
        yield f"it asks or explains nothing of the problem {problem.key!r}"
    for aside in [*facts.industry.asides["asides"], *texts("support_chats/asides")["asides"]]:
        month = int(chat["interaction_date"][5:7])
        fits = kind in aside.get("kinds", [kind]) and month in aside.get("months", [month])
        yield from (
            f"{one!r} does not fit product or month" for one in aside["say"] if one in text and not fits
        )


@cache
def _reports(industry: Industry) -> Phrases[ProductProblem]:
    return Phrases((said, one) for one in product_problems(industry).values() for said in one.says)


@cache
def _phrases(industry: Industry) -> Phrases[ProductProblem]:
    return Phrases((phrase, one) for one in product_problems(industry).values() for phrase in _own(one))


def _own(one: ProductProblem) -> tuple[str, ...]:
    """What is told apart from short answers, which any chat may have."""
    return (*one.why, *(ask[0] for ask in one.ask), *(step[0] for step in one.steps))
