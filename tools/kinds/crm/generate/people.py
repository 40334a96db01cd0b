"""The people of an org: agents who handle cases, and customers with an account and a contact each."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from worksmith.tools.kinds.crm.generate.draft import Draft
from worksmith.tools.kinds.crm.generate.entities import Agent, Customer
from worksmith.tools.kinds.crm.generate.wording import texts


def people(numbers: random.Random) -> Iterator[str]:
    """Given name and surname of one person after the other; with middle names once all pairs are used."""
    words = texts("names")
    given, surnames = words["given"].split(), words["surnames"].split()
    used: set[str] = set()
    while True:
        name = f"{numbers.choice(given)} {numbers.choice(surnames)}"
        while name in used:
            first, _, rest = name.partition(" ")
            name = f"{first} {numbers.choice(given)} {rest}"
        used.add(name)
        yield name


def address(name: str, domain: str) -> str:
    """An e-mail address; as unique as the name."""
    return f"{name.lower().replace(' ', '.')}@{domain}"


def phone(numbers: random.Random) -> str:
    return f"({numbers.randint(201, 989)}) 555-01{numbers.randint(0, 99):02d}"


def split(name: str) -> dict[str, str]:
    first, _, last = name.rpartition(" ")
    return {"Name": name, "FirstName": first, "LastName": last}


_ZONES = ("America/Los_Angeles", "America/New_York", "America/Chicago", "America/Denver")
_GAPS = (0.55, 4.1)
_LOAD_SHAPE = 16
_SPEED_SPREAD = 0.25


def add_agents(draft: Draft) -> None:
    """Agents with their specialty, speed and load; their limits are decided with the cases."""
    numbers = draft.rng("agents")
    weights = [policy["weight"] for policy in texts("policies")["policies"]]
    names = people(draft.rng("agent names"))
    for _ in range(draft.counts.users):
        user, name, email = _add_user(draft, names)
        agent = Agent(
            id=user,
            name=name,
            email=email,
            specialty=numbers.choices(range(len(weights)), weights)[0],
            speed=math.exp(numbers.gauss(0, _SPEED_SPREAD)),
            load=numbers.gammavariate(_LOAD_SHAPE, 1),
            gaps=numbers.betavariate(*_GAPS),
        )
        draft.agents.append(agent)


def _add_user(draft: Draft, names: Iterator[str]) -> tuple[str, str, str]:
    name = next(names)
    email = address(name, draft.industry.data.agents_at)
    user = draft.id("User")
    numbers = draft.rng("user", user)
    parts = split(name)
    draft.add(
        "User",
        Id=user,
        **parts,
        Email=email,
        Phone=phone(numbers),
        Username=email,
        Alias=(parts["FirstName"][0] + parts["LastName"]).lower()[:8],
        IsActive=True,
        LanguageLocaleKey="en_US",
        EmailEncodingKey="UTF-8",
        TimeZoneSidKey=numbers.choice(_ZONES),
        LocaleSidKey="en_US",
    )
    return user, name, email


_COMPLAINTS = (1.2, 7.5)
_MOST_COMPLAINTS = 0.6


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
            Phone=customer.phone,
            RecordTypeId=record_type,
            ShippingCity=customer.city,
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


def _customer(draft: Draft, numbers: random.Random, name: str) -> Customer:
    words = texts("company")
    states = list(words["states"])
    events = range(len(words["events"]))
    drawn = numbers.choices(events, [event["weight"] for event in words["events"]], k=numbers.randint(4, 7))
    state = numbers.choices(states, [(rank + 2) ** -0.55 for rank in range(len(states))])[0]
    customer = Customer(
        account=draft.id("Account"),
        contact=draft.id("Contact"),
        name=name,
        email=address(name, words["customers_at"]),
        state=state,
        events=tuple(sorted(set(drawn))),
        categories=tuple(sorted(numbers.sample(range(len(draft.categories)), numbers.randint(2, 4)))),
        activity=numbers.gammavariate(2.5, 1),
        complaints=min(_MOST_COMPLAINTS, numbers.betavariate(*_COMPLAINTS) * 1.05),
        phone=phone(numbers),
        city=numbers.choice(words["states"][state]),
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
