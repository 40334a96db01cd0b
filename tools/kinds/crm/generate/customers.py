"""Who buys: a person account and a contact each."""

from __future__ import annotations

import random

from tools.kinds.crm.generate.draft import Draft
from tools.kinds.crm.generate.entities import Customer
from tools.kinds.crm.generate.names import address, people, phone, split
from tools.kinds.crm.generate.wording import texts

_COMPLAINTS = (1.2, 7.5)
_MOST_COMPLAINTS = 0.6
_STOCK = ("Sample Account for Entitlements", "Internal Test", "Walk-in", "Press Loans", "Staff Sales")


def add_customers(draft: Draft) -> None:
    """Customers with their habits; one contact each, looked after by any agent."""
    numbers = draft.rng("customers")
    names = people(draft.rng("customer names"))
    record_type = draft.id_of(texts("company")["person_record_type"])
    for _ in range(draft.counts.customers):
        customer = _customer(draft, numbers, next(names))
        draft.customers.append(customer)
        draft.add(
            "Account",
            Id=customer.account,
            **split(customer.name),
            PersonEmail=customer.email,
            Phone=phone(numbers),
            RecordTypeId=record_type,
            ShippingCity=numbers.choice(texts("company")["states"][customer.state]),
            ShippingState=customer.state,
            IsPersonAccount=True,
            PersonContactId=customer.contact,
        )
        draft.add(
            "Contact",
            Id=customer.contact,
            **split(customer.name),
            Email=customer.email,
            AccountId=customer.account,
            OwnerId=numbers.choice(draft.agents).id,
        )
    for name in _STOCK if draft.noise else ():
        draft.add("Account", Id=draft.id("Account"), Name=name, IsPersonAccount=False)


def _customer(draft: Draft, numbers: random.Random, name: str) -> Customer:
    words = texts("company")
    states = list(words["states"])
    events = range(len(words["events"]))
    drawn = numbers.choices(events, [event["weight"] for event in words["events"]], k=numbers.randint(4, 7))
    customer = Customer(
        account=draft.id("Account"),
        contact=draft.id("Contact"),
        name=name,
        email=address(name, words["customers_at"]),
        state=numbers.choices(states, [(rank + 2) ** -0.55 for rank in range(len(states))])[0],
        events=tuple(sorted(set(drawn))),
        categories=tuple(sorted(numbers.sample(range(len(draft.categories)), numbers.randint(2, 4)))),
        activity=numbers.gammavariate(2.5, 1),
        complaints=min(_MOST_COMPLAINTS, numbers.betavariate(*_COMPLAINTS) * 1.05),
    )
    draft.latent(
        "Account",
        customer.account,
        "customer",
        {
            "events": [words["events"][place]["name"] for place in customer.events],
            "categories": [draft.categories[place] for place in customer.categories],
            "activity": customer.activity,
            "complaints": customer.complaints,
        },
        (f"Contact/{customer.contact}",),
    )
    return customer
