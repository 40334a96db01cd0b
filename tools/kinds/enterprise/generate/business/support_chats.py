"""The support chats of a generated enterprise: customers who need help with what they bought."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from worksmith.tools.generating.apportion import degrees
from worksmith.tools.kinds.enterprise.generate.business.chat_texts import Chat, chat_slots, write_chat
from worksmith.tools.kinds.enterprise.generate.business.deck import Deck
from worksmith.tools.kinds.enterprise.generate.business.product_problems import ProductProblem, problems_of
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Sale
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.wording import fill

_WORDS = grammar("support_chats/words")
PROMISES = {
    "replacement": "replacement",
    "refund": "refund",
    "troubleshooting": "check_up",
    "advice": "care_sheet",
    "escalation": "lead_call",
}
"""The promise of the representative, by outcome; an unresolved chat ends without one."""

_CHATS_EACH = (15, 60)
_CHATS_ON_AVERAGE = 30
_FEWEST_REPRESENTATIVES = 3
_LONGEST_WAIT = 75
_DUE = (7, 16)
"""Days until a promise is due. A customer may take some days to try something before the chat goes on."""


def add_support_chats(draft: Draft) -> None:
    """Chats after a purchase, at most one for each, with an employee of Sales at that day.

    The truths: outcome, problem (its key), aspect, order, day of purchase, the promise made and when it is
    due, and by outcome the amount, the step that helped, the tip, or who takes over.
    """
    numbers = draft.rng("support_chats")
    chats = sorted(_staffed(numbers, draft), key=lambda chat: (chat[0], chat[1].sales_record_id))
    topics = _Topics(draft)
    for number, (day, sale, representative) in enumerate(chats, start=1):
        _add(draft, number, topics.chat(number, day, sale, representative), topics.deck)


class _Topics:
    """Gives each chat its outcome and problem: one that has come up least for that kind of product."""

    def __init__(self, draft: Draft) -> None:
        self.deck = Deck(draft.rng("support_chats", "wordings"))
        self._draft = draft
        self._used: Counter[tuple[str, str]] = Counter()

    def chat(self, number: int, day: date, sale: Sale, representative: Employee) -> tuple[str, Chat]:
        """The outcome of a chat, and what else decides its text."""
        numbers = self._draft.rng("support_chats", "topics", number)
        kind, wait = sale.product.kind, (day - sale.day).days
        able = {
            outcome: _able(self._draft.industry, kind, outcome, wait) for outcome in _WORDS.data["outcomes"]
        }
        if _superior(self._draft, representative, day) is None:
            able["escalation"] = []
        shares = {outcome: share for outcome, share in _WORDS.data["outcomes"].items() if able[outcome]}
        outcome = numbers.choices(list(shares), list(shares.values()))[0]
        problem = min(able[outcome], key=lambda one: (self._used[kind, one.key], numbers.random()))
        self._used[kind, problem.key] += 1
        return outcome, Chat(day, sale, representative, problem, _tried(numbers, outcome, problem))


def _able(industry: Industry, kind: str, outcome: str, wait: int) -> list[ProductProblem]:
    """The problems of a kind of product that may end like that, so long after the purchase."""
    return [one for one in problems_of(industry, kind, outcome) if one.days[0] <= wait <= one.days[1]]


def _tried(numbers: random.Random, outcome: str, problem: ProductProblem) -> tuple[int, ...]:
    """The tried steps, in any order; none for advice."""
    if outcome == "advice":
        return ()
    places = range(len(problem.steps))
    return tuple(numbers.sample(places, numbers.randint(1, len(places))))


def _staffed(numbers: random.Random, draft: Draft) -> Iterator[tuple[date, Sale, Employee]]:
    """Day, sale and representative of each chat. Bad products come up most."""
    staff, left = _quotas(numbers, draft)
    # `Employee.active_on` for all at once: a large world has thousands of them and a hundred thousand chats.
    first = np.array([e.doj.toordinal() for e in staff])
    last = np.array([(e.dol or date.max).toordinal() for e in staff])
    for day, sale in _occasions(numbers, draft):
        (able,) = np.nonzero((left > 0) & (first <= day.toordinal()) & (day.toordinal() <= last))
        if able.size:
            chosen = numbers.choices(able, cum_weights=np.cumsum(left[able]).tolist())[0]
            left[chosen] -= 1
            yield day, sale, staff[chosen]
    if left.any():
        raise RuntimeError("too few sales for the support chats")


def _quotas(numbers: random.Random, draft: Draft) -> tuple[list[Employee], NDArray[np.int64]]:
    """The representatives, and how many chats each has: few have many. Those longest in office are chosen."""
    staff = [e for e in draft.people.in_department("SA") if e.level in ("09", "10")]
    staff.sort(key=lambda e: ((e.doj - (e.dol or draft.today)).days, e.emp_id))
    total = draft.counts.support_chats
    many = min(len(staff), max(_FEWEST_REPRESENTATIVES, round(total / _CHATS_ON_AVERAGE)))
    counts = degrees(numbers, total, many, *_CHATS_EACH)
    return staff[:many], np.array(counts)


def _occasions(numbers: random.Random, draft: Draft) -> Iterator[tuple[date, Sale]]:
    """Sales in an order in which bad products come early, each with the day of a chat."""
    sales = [sale for sale in draft.sales if sale.day < draft.today - timedelta(days=4)]
    keyed = [(numbers.random() ** (1.15 - sale.product.quality), place) for place, sale in enumerate(sales)]
    for _key, place in sorted(keyed, reverse=True):
        sale = sales[place]
        longest = min(_LONGEST_WAIT, (draft.today - sale.day).days - 1)
        yield sale.day + timedelta(days=numbers.randint(2, longest)), sale


def _add(draft: Draft, number: int, topic: tuple[str, Chat], deck: Deck) -> None:
    outcome, chat = topic
    numbers = draft.rng("support_chats", number)
    above = _superior(draft, chat.representative, chat.day) if outcome == "escalation" else None
    slots = chat_slots(numbers, chat)
    facts = _facts(numbers, outcome, chat, slots, above)
    sale = chat.sale
    refs = [
        reference("products", sale.product.product_id),
        reference("customers", sale.customer.customer_id),
        reference("sales", sale.sales_record_id),
        reference("employees", chat.representative.emp_id),
    ]
    if above is not None:
        refs.append(reference("employees", above.emp_id))
    ref = draft.add(
        "support_chats",
        chat_id=f"SUP-{number:04d}",
        product_id=sale.product.product_id,
        customer_id=sale.customer.customer_id,
        emp_id=chat.representative.emp_id,
        interaction_date=chat.day,
        text=write_chat(draft.industry, numbers, deck, chat, facts, slots),
    )
    draft.latent(ref, outcome, facts, tuple(refs))


def _superior(draft: Draft, representative: Employee, day: date) -> Employee | None:
    """The nearest superior of the same department employed on that day."""
    for above in draft.people.chain(representative.emp_id):
        if above.department == representative.department and above.active_on(day):
            return above
    return None


def _facts(
    numbers: random.Random, outcome: str, chat: Chat, slots: dict[str, str], above: Employee | None
) -> dict[str, str]:
    facts = {
        "outcome": outcome,
        "problem": chat.problem.key,
        "aspect": chat.problem.part,
        "order": chat.sale.sales_record_id,
        "bought": chat.sale.day.isoformat(),
        "promise": PROMISES.get(outcome, "none"),
    }
    if outcome in PROMISES:
        facts["due"] = (chat.day + timedelta(days=numbers.randint(*_DUE))).isoformat()
    if outcome == "refund":
        facts["amount"] = str(chat.sale.total)
    elif outcome == "troubleshooting":
        facts["fix"] = fill(chat.problem.steps[chat.tried[-1]][0], slots)
    elif outcome == "advice":
        facts["tip"] = fill(chat.problem.steps[0][0], slots)
    elif above is not None:
        facts["lead"] = above.name
    return facts
