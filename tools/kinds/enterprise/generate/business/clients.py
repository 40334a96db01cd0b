"""The clients of a generated enterprise: businesses that try or use a product."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta

from tools.kinds.enterprise.generate.business.partners import (
    address,
    described,
    mailbox,
    new_name,
    onboarding_day,
    phone_number,
    representatives,
    tax_id,
)
from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Client, Employee
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.people.names import outsiders

_WORDS = grammar("clients")
_SINCE = date(2018, 4, 2)
_LEVELS = ("09", "10")
_HEALTH = (5, 3, 2)
_STATES = ("ongoing", "accepted")


def add_clients(draft: Draft) -> None:
    """Clients with a trial of one product each, looked after by Business Development.

    The truths: stage, health, units, next step and its day, who decides, for some a competitor.
    """
    numbers = draft.rng("clients")
    people = outsiders(numbers, {e.name for e in draft.people} | {c.name for c in draft.customers})
    total = draft.counts.clients
    staff = representatives(numbers, draft, "BU", _LEVELS, total)
    products = numbers.sample(draft.products, min(len(draft.products), total))
    used: set[str] = set()
    for number, representative in enumerate(staff, start=1):
        industry = numbers.choice(_WORDS.data["industries"])
        client = Client(
            client_id=f"CLI-{number:04d}",
            name=new_name(numbers, _WORDS.data["forms"], industry, used),
            industry=industry,
            product=products[number % len(products)],
            emp_id=representative.emp_id,
        )
        draft.clients.append(client)
        _add(draft, draft.rng("clients", number), number, client, representative, people)


def _add(
    draft: Draft,
    numbers: random.Random,
    number: int,
    client: Client,
    representative: Employee,
    people: Iterator[str],
) -> None:
    contact = next(people)
    onboarded = onboarding_day(numbers, draft, representative, _SINCE)
    state = numbers.choice(_STATES)
    facts = _facts(draft, numbers, state, contact)
    slots = {
        "name": client.name,
        "product": client.product.name,
        "use_place": numbers.choice(_WORDS.data["other"]["use_places"]),
    }
    ref = draft.add(
        "clients",
        client_id=client.client_id,
        business_name=client.name,
        industry=client.industry,
        business_type=numbers.choice(_WORDS.data["types_of_business"]),
        contact_person_id=f"CON-{number:04d}",
        contact_person_name=contact,
        contact_email=mailbox(contact, client.name),
        phone_number=phone_number(numbers),
        registered_address=address(numbers),
        tax_id=tax_id(numbers, number),
        monthly_revenue=500 * round(numbers.lognormvariate(12.2, 0.8) / 500),
        onboarding_date=onboarded,
        renewal_date=draft.today + timedelta(days=numbers.randint(5, 540)),
        current_poc_product=client.product.name,
        poc_status=state,
        engagement_description=described(numbers, _WORDS, facts, slots),
        emp_id=representative.emp_id,
    )
    refs = reference("products", client.product.product_id), reference("employees", representative.emp_id)
    draft.latent(ref, "engagement", facts, refs)


def _facts(draft: Draft, numbers: random.Random, state: str, contact: str) -> dict[str, str]:
    pools = _WORDS.data["pools"]
    facts = {
        "stage": numbers.choice(_WORDS.data["stages"][state]),
        "health": numbers.choices(pools["health"], _HEALTH)[0],
        "units": str(10 * numbers.randint(2, 90)),
        "next_step": _WORDS.value(numbers, "next_step"),
        "next_day": (draft.today + timedelta(days=numbers.randint(3, 75))).isoformat(),
        "decision_maker": contact,
    }
    if numbers.random() < 0.4:
        facts["competitor"] = _WORDS.value(numbers, "competitor")
    return facts
