"""The clients of a generated enterprise: businesses that try or use a product."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from worksmith.tools.kinds.enterprise.generate.business.partners import (
    address,
    described,
    mailbox,
    new_name,
    onboarding_day,
    phone_number,
    representatives,
    tax_id,
)
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Client, Employee, Product
from worksmith.tools.kinds.enterprise.generate.grammar import Grammar
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.people.names import outsiders
from worksmith.tools.kinds.enterprise.generate.wording import texts


def _grammar() -> Grammar:
    """The sentences about clients; the next steps that there may be are those of all stages."""
    data = texts("clients")
    steps = {step for known in data["steps"].values() for step in known}
    return Grammar({**data, "pools": {**data["pools"], "next_step": sorted(steps)}})


WORDS = _grammar()
"""The sentences about clients."""

_SINCE = date(2018, 4, 2)
_LEVELS = ("09", "10")
_HEALTH = (5, 3, 2)
_STATES = ("ongoing", "accepted")
_TENS = ((1000, 90), (4000, 30), (10**9, 8))
"""Below which price in rupees how many tens of a product a client thinks of at most."""


def add_clients(draft: Draft) -> None:
    """Clients with a trial of one product each, looked after by Business Development.

    A client's industry decides its name, which kinds of product it tries and what for. The truths: stage,
    health, units, next step and its day, who decides, for some a competitor.
    """
    numbers = draft.rng("clients")
    people = outsiders(numbers, {e.name for e in draft.people} | {c.name for c in draft.customers})
    total = draft.counts.clients
    staff = representatives(numbers, draft, "BU", _LEVELS, total)
    left = _by_kind(numbers, draft)
    used: set[str] = set()
    for number, representative in enumerate(staff, start=1):
        industry, product, use = _trial(numbers, draft.industry.clients, left)
        client = Client(
            client_id=f"CLI-{number:04d}",
            name=new_name(numbers, draft.industry.clients[industry]["forms"], industry, used),
            industry=industry,
            product=product,
            use=use,
            since=onboarding_day(numbers, draft, representative, _SINCE),
            emp_id=representative.emp_id,
        )
        draft.clients.append(client)
        _add(draft, draft.rng("clients", number), number, client, representative, people)


def _by_kind(numbers: random.Random, draft: Draft) -> dict[str, list[Product]]:
    """The products of each kind in random order."""
    found: dict[str, list[Product]] = defaultdict(list)
    for product in numbers.sample(draft.products, len(draft.products)):
        found[product.kind].append(product)
    return found


def _trial(
    numbers: random.Random, industries: Mapping[str, Any], products: Mapping[str, list[Product]]
) -> tuple[str, Product, str]:
    """An industry, the next product of a kind that it buys, and the use it has for it."""
    offered = {
        industry: [kind for kind in data["uses"] if kind in products] for industry, data in industries.items()
    }
    industry = numbers.choice([industry for industry, kinds in offered.items() if kinds])
    kind = numbers.choice(offered[industry])
    product = products[kind].pop()
    products[kind].insert(0, product)
    return industry, product, numbers.choice(industries[industry]["uses"][kind])


def _add(
    draft: Draft,
    numbers: random.Random,
    number: int,
    client: Client,
    representative: Employee,
    people: Iterator[str],
) -> None:
    contact = next(people)
    state = numbers.choice(_STATES)
    facts = _facts(draft, numbers, client, state, contact)
    slots = {"name": client.name, "product": client.product.name, "use": client.use}
    asks = draft.industry.launches[client.product.kind]["asks"]
    more = numbers.choice(draft.industry.clients[client.industry]["scene"]), numbers.choice(asks)
    ref = draft.add(
        "clients",
        client_id=client.client_id,
        business_name=client.name,
        industry=client.industry,
        business_type=numbers.choice(draft.industry.clients[client.industry]["types"]),
        contact_person_id=f"CON-{number:04d}",
        contact_person_name=contact,
        contact_email=mailbox(contact, client.name),
        phone_number=phone_number(numbers),
        registered_address=address(numbers),
        tax_id=tax_id(numbers, number),
        monthly_revenue=500 * round(numbers.lognormvariate(12.2, 0.8) / 500),
        onboarding_date=client.since,
        renewal_date=draft.today + timedelta(days=numbers.randint(5, 540)),
        current_poc_product=client.product.name,
        poc_status=state,
        engagement_description=described(numbers, WORDS, facts, slots, more),
        emp_id=representative.emp_id,
    )
    refs = reference("products", client.product.product_id), reference("employees", representative.emp_id)
    draft.latent(ref, "engagement", facts, refs)


def _facts(draft: Draft, numbers: random.Random, client: Client, state: str, contact: str) -> dict[str, str]:
    pools = WORDS.data["pools"]
    stage = numbers.choice(WORDS.data["stages"][state])
    most = next(tens for price, tens in _TENS if client.product.price < price)
    facts = {
        "stage": stage,
        "health": numbers.choices(pools["health"], _HEALTH)[0],
        "units": str(10 * numbers.randint(1, most)),
        "next_step": numbers.choice(WORDS.data["steps"][stage]),
        "next_day": (draft.today + timedelta(days=numbers.randint(3, 75))).isoformat(),
        "decision_maker": contact,
    }
    if numbers.random() < 0.4:
        facts["competitor"] = WORDS.value(numbers, "competitor")
    return facts
