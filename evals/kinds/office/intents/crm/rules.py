"""Finding and changing customers: the calls, and how solutions come to them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action

CustomerRow = dict[str, str]
"""A customer as the search shows it."""


def update_customer(customer_id: str, field: str, value: str) -> Action:
    arguments = {"customer_id": customer_id, "field": field, "new_value": value}
    return Action(tool="customer_relationship_manager.update_customer", arguments=arguments)


def delete_customer(customer_id: str) -> Action:
    return Action(
        tool="customer_relationship_manager.delete_customer", arguments={"customer_id": customer_id}
    )


def add_lead(name: str, assignee: str) -> Action:
    """The call that adds a customer with the status Lead."""
    return Action(
        tool="customer_relationship_manager.add_customer",
        arguments={"customer_name": name, "assigned_to_email": assignee, "status": "Lead"},
    )


def find_customer(call: PlanRecorder, name: str) -> CustomerRow:
    found: list[CustomerRow] = call(
        "customer_relationship_manager.search_customers", f"I look for {name}.", customer_name=name
    )
    return next(row for row in found if row["customer_name"].lower() == name.lower())


def change_each(call: PlanRecorder, why: str, change: Callable[[str], Action], **conditions: str) -> None:
    """Change all customers that fit, searching again until none is left: a page may hide more.

    Args:
        change: makes the call from an id; what it changes must no longer fit the conditions.
        conditions: as the search takes them.
    """
    found: list[CustomerRow]
    while found := call("customer_relationship_manager.search_customers", why, **conditions):
        for row in found:
            action = change(row["customer_id"])
            call.perform(action, "This customer is one of those asked for.")


def new_customer_name(records: Records, rng: Random) -> str | None:
    first, last = (rng.choice(records.customers).name.split() for _ in range(2))
    names = {customer.name for customer in records.customers}
    plain = f"{first[0]} {last[-1]}"
    name = f"{first[0]} {first[-1]}-{last[-1]}" if plain in names else plain
    return None if name in names or first[-1] == last[-1] else name
