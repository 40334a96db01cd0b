"""The support chats of a generated enterprise: customers who need help with what they bought."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta

from tools.generating.apportion import degrees
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee, Sale
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.wording import pick, texts

_WORDS = grammar("support_chats")
PROMISES = {
    "replacement": "replacement",
    "refund": "refund",
    "troubleshooting": "check_up",
    "advice": "care_sheet",
    "escalation": "lead_call",
}
"""What the representative promises, by outcome; an unresolved chat ends without a promise."""

_CHATS_EACH = (15, 60)
_CHATS_ON_AVERAGE = 30
_FEWEST_REPRESENTATIVES = 3
_LONGEST_WAIT = 75
_MAYBE = 0.5


def add_support_chats(draft: Draft) -> None:
    """Chats after a purchase, at most one for each, with somebody of Sales who was employed on the day.

    The truths: outcome, aspect, problem, order, day of purchase, the promise made and when it is due, and by
    outcome the amount, the step that helped, the tip, or who takes over.
    """
    numbers = draft.rng("support_chats")
    chats = sorted(_staffed(numbers, draft), key=lambda chat: (chat[0], chat[1].sales_record_id))
    for number, (day, sale, representative) in enumerate(chats, start=1):
        _add(draft, number, day, sale, representative)


def _staffed(numbers: random.Random, draft: Draft) -> Iterator[tuple[date, Sale, Employee]]:
    """Day, sale and representative of each chat. Bad products come up most."""
    quotas = _quotas(numbers, draft)
    for day, sale in _occasions(numbers, draft):
        able = [e for e, left in quotas.items() if left and e.active_on(day)]
        if able:
            chosen = numbers.choices(able, [quotas[e] for e in able])[0]
            quotas[chosen] -= 1
            yield day, sale, chosen
    if any(quotas.values()):
        raise RuntimeError("too few sales for the support chats")


def _quotas(numbers: random.Random, draft: Draft) -> dict[Employee, int]:
    """How many chats each representative has: few have many. Those longest in office are chosen."""
    staff = [e for e in draft.people.in_department("SA") if e.level in ("09", "10")]
    staff.sort(key=lambda e: ((e.doj - (e.dol or draft.today)).days, e.emp_id))
    total = draft.counts.support_chats
    many = min(len(staff), max(_FEWEST_REPRESENTATIVES, round(total / _CHATS_ON_AVERAGE)))
    counts = degrees(numbers, total, many, *_CHATS_EACH)
    return dict(zip(staff[:many], counts, strict=True))


def _occasions(numbers: random.Random, draft: Draft) -> Iterator[tuple[date, Sale]]:
    """Sales in an order in which bad products come early, each with the day of a chat."""
    sales = [sale for sale in draft.sales if sale.day < draft.today - timedelta(days=4)]
    keyed = [(numbers.random() ** (1.15 - sale.product.quality), place) for place, sale in enumerate(sales)]
    for _key, place in sorted(keyed, reverse=True):
        sale = sales[place]
        longest = min(_LONGEST_WAIT, (draft.today - sale.day).days - 1)
        yield sale.day + timedelta(days=numbers.randint(2, longest)), sale


def _add(draft: Draft, number: int, day: date, sale: Sale, representative: Employee) -> None:
    numbers = draft.rng("support_chats", number)
    above = _superior(draft, representative, day)
    facts = _facts(numbers, day, sale, above)
    refs = [
        reference("products", sale.product.product_id),
        reference("customers", sale.customer.customer_id),
        reference("sales", sale.sales_record_id),
        reference("employees", representative.emp_id),
    ]
    if above is not None and facts["outcome"] == "escalation":
        refs.append(reference("employees", above.emp_id))
    ref = draft.add(
        "support_chats",
        chat_id=f"SUP-{number:04d}",
        product_id=sale.product.product_id,
        customer_id=sale.customer.customer_id,
        emp_id=representative.emp_id,
        interaction_date=day,
        text=_text(numbers, facts, sale, representative),
    )
    draft.latent(ref, facts["outcome"], facts, tuple(refs))


def _superior(draft: Draft, representative: Employee, day: date) -> Employee | None:
    """The nearest superior of the same department employed on that day."""
    for above in draft.people.chain(representative.emp_id):
        if above.department == representative.department and above.active_on(day):
            return above
    return None


def _facts(numbers: random.Random, day: date, sale: Sale, above: Employee | None) -> dict[str, str]:
    shares = dict(_WORDS.data["outcomes"])
    if above is None:
        del shares["escalation"]
    outcome = numbers.choices(list(shares), list(shares.values()))[0]
    aspect = numbers.choice(sale.product.parts)
    part = texts("parts")[aspect]
    facts = {
        "outcome": outcome,
        "aspect": aspect,
        "order": sale.sales_record_id,
        "bought": sale.day.isoformat(),
        "promise": PROMISES.get(outcome, "none"),
    }
    if outcome != "advice":
        facts["problem"] = numbers.choice(part["bad"])
    if outcome in PROMISES:
        facts["due"] = (day + timedelta(days=numbers.randint(2, 14))).isoformat()
    if outcome == "refund":
        facts["amount"] = str(sale.total)
    elif outcome == "troubleshooting":
        facts["fix"] = part["fix"]
    elif outcome == "advice":
        facts["tip"] = part["tip"]
    elif outcome == "escalation" and above is not None:
        facts["lead"] = above.name
    return facts


def _text(numbers: random.Random, facts: dict[str, str], sale: Sale, representative: Employee) -> str:
    """The turns of one of the outcome's plots."""
    slots = facts | {
        "customer": sale.customer.name,
        "first": "there" if sale.customer.business else sale.customer.name.split()[0],
        "product": sale.product.name,
        "agent": representative.first_name,
        "fix": texts("parts")[facts["aspect"]]["fix"],
    }
    slots[facts["promise"]] = facts.get("due", "")
    lines = []
    turns = _WORDS.data["turns"]
    question, answer = numbers.choice(turns["checks"])
    turns = turns | {"check": [question], "checked": [answer]}
    for turn in numbers.choice(_WORDS.data["plots"][facts["outcome"]]):
        speaker, _, parts = turn.partition(": ")
        said = []
        for part in parts.split():
            if part.startswith("!"):
                said.append(_WORDS.say(numbers, part[1:], slots))
            elif not part.endswith("?") or numbers.random() < _MAYBE:
                said.append(pick(numbers, turns[part.rstrip("?")], slots))
        lines.append(f"{speaker}: {' '.join(said)}")
    return "\n".join(lines)
