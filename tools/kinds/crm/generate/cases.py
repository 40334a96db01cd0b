"""Cases: which purchases lead to one, what about, who handles it, and how long that takes."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from worksmith.tools.kinds.crm.generate.company import YEARS
from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import CaseFile, Channel, Item
from worksmith.tools.kinds.crm.generate.staffing import Opening, Staffing, staff
from worksmith.tools.kinds.crm.generate.wording import texts

_WEAKSPOT = 0.55
_BURST = 2.0
_SOON, _SOON_DAYS, _LATE_DAYS = 0.88, 3.0, (8, 45)
_HOURS = (8, 19)
_CHAT_MINUTES, _CHAT_SPREAD = 23.0, 0.30
_EMAIL_MINUTES, _EMAIL_SPREAD = 7 * 60.0, 0.45
_REGION_SPREAD = 0.35
_TRANSFER_TAKES = 1.35
_TRANSFER_AT = 0.4


@dataclass(frozen=True)
class _Drawn:
    """A case before it is staffed; `minutes` are those of an average agent in an average state."""

    item: Item
    issue: int
    created: datetime
    channel: Channel
    minutes: float


def add_cases(draft: Draft) -> None:
    """Draw the cases, give them to agents, pass some on, and close most."""
    regions = _regions(draft)
    drawn = _draw(draft)
    openings = [Opening(each.issue, each.created) for each in drawn]
    staffing = staff(draft, openings, _still_open(draft, drawn))
    for number, (each, who) in enumerate(zip(drawn, staffing, strict=True), 1):
        case = _case(draft, number, each, who, regions[each.item.order.customer.state])
        draft.cases.append(case)
        _add_history(draft, case)
        _note(draft, case)


def _regions(draft: Draft) -> dict[str, float]:
    numbers = draft.rng("regions")
    regions = {state: math.exp(numbers.gauss(0, _REGION_SPREAD)) for state in texts("company")["states"]}
    for state, factor in regions.items():
        draft.latent("Account.ShippingState", state, "region", {"factor": factor})
    return regions


def _draw(draft: Draft) -> list[_Drawn]:
    numbers = draft.rng("cases")
    candidates = [item for item in draft.items if item.order.activated]
    first = sorted(candidates, key=lambda item: numbers.expovariate(1) / _inclination(item))
    chosen = first[: draft.counts.cases]
    chats = set(numbers.sample(range(len(chosen)), draft.counts.chat_cases))
    drawn = []
    for place, item in enumerate(chosen):
        issue = _issue(numbers, item)
        drawn.append(
            _Drawn(
                item=item,
                issue=issue,
                created=_created(numbers, item.order.day, issue),
                channel="chat" if place in chats else "email",
                minutes=_minutes(numbers, place in chats),
            )
        )
    return sorted(drawn, key=lambda each: each.created)


def _inclination(item: Item) -> float:
    burst = _BURST if item.product.burst == item.order.event else 1.0
    return max(1e-6, item.order.customer.complaints * burst)


def _issue(numbers: random.Random, item: Item) -> int:
    if numbers.random() < _WEAKSPOT:
        return numbers.choice(item.product.weakspots)
    weights = [policy["weight"] for policy in texts("policies")["policies"]]
    return numbers.choices(range(len(weights)), weights)[0]


def _created(numbers: random.Random, bought: date, issue: int) -> datetime:
    after = texts("policies")["policies"][issue].get("after", 0)
    if numbers.random() < _SOON:
        days = after + int(numbers.expovariate(1 / _SOON_DAYS))
    else:
        days = max(after, numbers.randint(*_LATE_DAYS))
    moment = datetime(bought.year, bought.month, bought.day, numbers.randint(*_HOURS), numbers.randrange(60))
    return moment + timedelta(days=days, seconds=numbers.randrange(60))


def _minutes(numbers: random.Random, chat: bool) -> float:
    middle, spread = (_CHAT_MINUTES, _CHAT_SPREAD) if chat else (_EMAIL_MINUTES, _EMAIL_SPREAD)
    return middle * math.exp(numbers.gauss(0, spread))


def _still_open(draft: Draft, drawn: list[_Drawn]) -> set[int]:
    """Places of the cases that are not closed: the younger a case the more likely."""
    numbers = draft.rng("open cases")
    order = sorted(
        range(len(drawn)),
        key=lambda place: numbers.expovariate(1) / 2 ** (drawn[place].created.year - YEARS[0]),
    )
    return set(order[: draft.counts.open_cases])


def _case(draft: Draft, number: int, each: _Drawn, who: Staffing, region: float) -> CaseFile:
    minutes = each.minutes * who.agent.speed * region * (_TRANSFER_TAKES if who.transferred else 1)

    def after(share: float) -> datetime:
        return each.created + timedelta(seconds=round(minutes * 60 * share))

    return CaseFile(
        id=draft.id("Case"),
        number=number,
        item=each.item,
        issue=each.issue,
        channel=each.channel,
        agent=who.agent,
        owner=who.owner,
        created=each.created,
        transferred=after(_TRANSFER_AT) if who.transferred else None,
        closed=None if who.open else after(1),
    )


def _add_history(draft: Draft, case: CaseFile) -> None:
    events: list[tuple[str, str | None, str | None, datetime | None]] = [
        ("Case Creation", None, None, case.created),
        ("Owner Assignment", None, case.agent.id, case.created),
        ("Owner Assignment", case.agent.id, case.owner.id, case.transferred),
        ("Case Closed", None, None, case.closed),
    ]
    for field, old, new, moment in events:
        if moment is not None:
            draft.add(
                "CaseHistory__c",
                Id=draft.id("CaseHistory__c"),
                Name=f"CH-{draft.size('CaseHistory__c') + 1:07d}",
                CaseId__c=case.id,
                Field__c=field,
                OldValue__c=old,
                NewValue__c=new,
                CreatedDate=moment,
            )


def _note(draft: Draft, case: CaseFile) -> None:
    facts: dict[str, object] = {
        "issue": draft.policies[case.issue].name,
        "channel": case.channel,
        "first_agent": case.agent.id,
        "owner": case.owner.id,
        "transferred": case.transferred or "",
        "state": case.customer.state,
        "days_since_order": case.days,
    }
    if case.closed is not None:
        facts["minutes"] = (case.closed - case.created).total_seconds() / 60
    refs = (
        f"Issue__c/{draft.policies[case.issue].issue}",
        f"Product2/{case.item.product.id}",
        f"OrderItem/{case.item.id}",
        f"Contact/{case.customer.contact}",
    )
    draft.latent("Case", case.id, "case", facts, refs)
