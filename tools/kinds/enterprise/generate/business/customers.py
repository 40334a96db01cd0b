"""The customers of a generated enterprise."""

from __future__ import annotations

import random
from collections.abc import Iterator

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Customer
from worksmith.tools.kinds.enterprise.generate.people.names import outsiders
from worksmith.tools.kinds.enterprise.generate.wording import pick, texts

PATHS = {
    "invoice": "orders/invoice_{customer}.txt",
    "purchase_order": "orders/purchase_order_{customer}.txt",
    "shipping_order": "orders/shipping_order_{customer}.txt",
}
"""Where the order documents of a customer are filed, by kind."""

_BUSINESSES = 0.4


def add_customers(draft: Draft) -> None:
    """Households and small businesses, all with different names, which no employee has."""
    numbers = draft.rng("customers")
    names = _names(numbers, {employee.name for employee in draft.people})
    for number in range(1, draft.counts.customers + 1):
        name, business = next(names)
        customer = Customer(
            customer_id=f"CUS-{number:04d}",
            name=name,
            region=numbers.choice(texts("customers")["regions"]),
            patience=numbers.betavariate(2, 2),
            business=business,
        )
        draft.customers.append(customer)
        draft.add(
            "customers",
            customer_id=customer.customer_id,
            customer_name=customer.name,
            region=customer.region,
            **{f"{kind}_path": path.format(customer=customer.customer_id) for kind, path in PATHS.items()},
        )


def _names(numbers: random.Random, insiders: set[str]) -> Iterator[tuple[str, bool]]:
    words = texts("customers")
    people = outsiders(numbers, insiders)
    surnames = texts("names")["surnames"].split()
    used: set[str] = set()
    while True:
        name = next(people)
        business = numbers.random() < _BUSINESSES
        if business:
            slots = {"surname": numbers.choice(surnames), "word": numbers.choice(words["words"])}
            name = pick(numbers, words["businesses"], slots)
        if name not in used:
            used.add(name)
            yield name, business
