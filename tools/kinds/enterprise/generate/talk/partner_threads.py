"""The mails with clients and vendors, with authors and times: planned before their words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from worksmith.tools.kinds.enterprise.generate.business.reviews import defects
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.projects import workday
from worksmith.tools.kinds.enterprise.generate.talk.threads import STATING, moments, value_of
from worksmith.tools.kinds.enterprise.generate.wording import texts

_TRIES = 200
_WRITERS_FROM = 12
"""Besides the representative, superiors of this level in the partner's department write to it."""

_BY_SUPERIOR = 0.15
_COUNTED = {
    "units": (2, 60, 10),
    "cartons": (3, 90, 1),
    "pallets": (2, 30, 1),
    "people": (3, 25, 1),
    "percent": (2, 25, 1),
}
"""Least, most and step of a number of things."""


@dataclass(frozen=True)
class Partner:
    """A client or vendor as a correspondent.

    Attributes:
        ref: the record.
        goods: what it tries or supplies, with an article.
        briefly: the same where it has been named.
        faults: what may be wrong with a part of that, by part.
        since: when the company began to work with it.
    """

    ref: str
    business: str
    contact: str
    email: str
    emp_id: str
    goods: str
    briefly: str
    faults: Mapping[str, Sequence[str]]
    since: date


@dataclass(frozen=True)
class PartnerThread:
    """Some mails that an employee and a contact person write in turn about one aspect of their trade.

    Attributes:
        inside: whether the employee writes the first mail, and each second one after it.
        roles, values, times: what each mail does, states and when it is sent.
    """

    key: str
    partner: Partner
    person: Employee
    intent: str
    aspect: str
    part: str
    inside: bool
    roles: tuple[str, ...]
    values: tuple[str | None, ...]
    times: tuple[datetime, ...]


def plan_partner_threads(draft: Draft, lengths: Sequence[int], first: int) -> Iterator[PartnerThread]:
    """Threads with partners, each about another matter.

    Args:
        lengths: how many mails each thread has.
        first: the number of the first thread.
    """
    partners = [one for one in (*_clients(draft), *_vendors(draft)) if one.faults]
    taken: set[tuple[str, str, str]] = set()
    for number, length in enumerate(lengths, first):
        yield _thread(draft, partners, number, length, taken)


def _clients(draft: Draft) -> list[Partner]:
    rows = {row["client_id"]: row for row in draft.records("clients")}
    found = []
    for one in draft.clients:
        goods = f"the {one.product.name.partition(',')[0]}"
        names = (goods, f"the {one.product.kind}")
        faults = defects(draft.industry, one.product.kind)
        found.append(_partner("clients", rows[one.client_id], one.client_id, names, faults))
    return found


def _vendors(draft: Draft) -> list[Partner]:
    """Those who supply products; of cartons or plant care one would write otherwise."""
    rows = {row["vendor_id"]: row for row in draft.records("vendors")}
    parts = {f"{product.kind}s": defects(draft.industry, product.kind) for product in draft.products}
    found = []
    for one in draft.vendors:
        supplied = next((named for kinds, named in parts.items() if one.supplies.startswith(kinds)), None)
        if supplied is not None:
            names = (one.supplies, "the goods")
            found.append(_partner("vendors", rows[one.vendor_id], one.vendor_id, names, supplied))
    return found


def _partner(
    source: str,
    row: Mapping[str, str | None],
    key: str,
    names: tuple[str, str],
    faults: Mapping[str, Sequence[str]],
) -> Partner:
    inseparable = texts("partner_mail")["inseparable"]
    cells = {column: cell or "" for column, cell in row.items()}
    return Partner(
        ref=f"{source}/{key}",
        business=cells["business_name"],
        contact=cells["contact_person_name"],
        email=cells["contact_email"],
        emp_id=cells["emp_id"],
        goods=names[0],
        briefly=names[1],
        faults={part: said for part, said in faults.items() if part not in inseparable},
        since=date.fromisoformat(cells["onboarding_date"]),
    )


def _thread(
    draft: Draft, partners: Sequence[Partner], number: int, length: int, taken: set[tuple[str, str, str]]
) -> PartnerThread:
    numbers = draft.rng("mail", "partner", number)
    data = texts("partner_mail")
    for _ in range(_TRIES):
        partner = numbers.choice(partners)
        source = partner.ref.partition("/")[0]
        intent = numbers.choice([name for name, one in data["intents"].items() if one["partners"] == source])
        aspects = data["intents"][intent]["aspects"]
        aspect = numbers.choice(list(aspects))
        first, last = partner.since + timedelta(days=10), draft.today - timedelta(days=1)
        if first > last or (partner.ref, intent, aspect) in taken:
            continue
        taken.add((partner.ref, intent, aspect))
        day = workday(numbers, first, last)
        roles = tuple(numbers.choice(data["roles"][str(length)]))
        asks = roles[0] == "open"
        times = moments(numbers, day, last, length)
        return PartnerThread(
            key=f"THR-{number:06d}",
            partner=partner,
            person=_person(draft, numbers, partner, day),
            intent=intent,
            aspect=aspect,
            part=numbers.choice(list(partner.faults)),
            inside=asks == (data["intents"][intent]["opens"] == "company"),
            roles=roles,
            values=_values(numbers, aspects[aspect], roles, times),
            times=times,
        )
    raise ValueError("there is nothing left to write to partners about")


def _person(draft: Draft, numbers: random.Random, partner: Partner, day: date) -> Employee:
    """The representative, or now and then a superior of the same department."""
    own = draft.people[partner.emp_id]
    above = [
        one
        for one in draft.people.chain(own.emp_id)
        if one.department == own.department
        and one.rank >= _WRITERS_FROM
        and one.doj <= day
        and one.dol is None
    ]
    return numbers.choice(above) if above and numbers.random() < _BY_SUPERIOR else own


def _values(
    numbers: random.Random, kind: str | Sequence[str], roles: Sequence[str], times: Sequence[datetime]
) -> tuple[str | None, ...]:
    """Each mail that states something states another value."""
    values: list[str | None] = []
    for role, sent in zip(roles, times, strict=True):
        value = None
        while role in STATING and (value is None or value in values):
            if isinstance(kind, str) and kind in _COUNTED:
                least, most, step = _COUNTED[kind]
                value = f"{step * numbers.randint(least, most)} {kind}"
            else:
                value = value_of(numbers, kind, sent)
        values.append(value)
    return tuple(values)
