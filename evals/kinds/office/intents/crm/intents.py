"""Tasks about the customers (R1-R8): records are added, changed, handed over and deleted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random

from worksmith.evals.kinds.office.intents.actions import add_lead, delete_customer, update_customer
from worksmith.evals.kinds.office.intents.intent import Act, Desk, Slots, intents
from worksmith.evals.kinds.office.records import Customer, Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.office.schema import PRODUCTS, STATUSES

_WEEKS = (3, 8)


def find_customer(desk: Desk, name: str) -> Customer:
    found = desk.customers(f"I look for {name}.", customer_name=name)
    return next(customer for customer in found if customer.name.lower() == name.lower())


def change_each(desk: Desk, change: Callable[[str], Action], whys: dict[str, str], **conditions: str) -> None:
    """Change all customers of some statuses who fit.

    Args:
        change: makes the call from an id; changed records must no longer fit the conditions.
        whys: why to search, by status.
        conditions: as the search takes them.
    """
    searches = [partial(desk.customers, why, **conditions, status=status) for status, why in whys.items()]
    for customer in desk.again(*searches):
        desk.do(change(customer.id), "This customer is one of those asked for.")


def new_customer_name(records: Records, rng: Random) -> str | None:
    first, last = (rng.choice(records.customers).name.split() for _ in range(2))
    names = {customer.name for customer in records.customers}
    plain = f"{first[0]} {last[-1]}"
    name = f"{first[0]} {first[-1]}-{last[-1]}" if plain in names else plain
    return None if name in names or first[-1] == last[-1] else name


def _draw_status(records: Records, rng: Random) -> Slots:
    customer = rng.choice(records.customers)
    others = [status for status in STATUSES if status != customer.status]
    return {"customer": customer.name, "status": rng.choice(others)}


def _set_status(desk: Desk, slots: Slots) -> None:
    customer = find_customer(desk, slots["customer"])
    action = update_customer(customer.id, "status", slots["status"].capitalize())
    desk.do(action, "I set the new status.")


def _draw_customer(records: Records, rng: Random) -> Slots:
    return {"customer": rng.choice(records.customers).name}


def _delete_one(desk: Desk, slots: Slots) -> None:
    desk.do(delete_customer(find_customer(desk, slots["customer"]).id), "I delete this customer.")


def _draw_lead(records: Records, rng: Random) -> Slots | None:
    name = new_customer_name(records, rng)
    return {"customer": name, "name": rng.choice(records.sales).first_name} if name else None


def _add_lead(desk: Desk, slots: Slots) -> None:
    desk.do(add_lead(slots["customer"], desk.address(slots["name"])), "I add the new lead.")


def _draw_assignment(records: Records, rng: Random) -> Slots | None:
    customer, employee = rng.choice(records.customers), rng.choice(records.sales)
    if customer.assignee == employee.address:
        return None
    return {"customer": customer.name, "name": employee.first_name}


def _assign(desk: Desk, slots: Slots) -> None:
    customer = find_customer(desk, slots["customer"])
    action = update_customer(customer.id, "assigned_to_email", desk.address(slots["name"]))
    desk.do(action, "I assign the customer.")


def _draw_handover(records: Records, rng: Random) -> Slots:
    name, new_name = (employee.first_name for employee in rng.sample(records.sales, 2))
    return {"name": name, "new_name": new_name, "product": rng.choice(PRODUCTS).lower()}


def _hand_over(*statuses: str) -> Act:
    def act(desk: Desk, slots: Slots) -> None:
        address, new_address = desk.address(slots["name"]), desk.address(slots["new_name"])
        whys = {
            status: f"I look for {slots['name']}'s customers with the status {status}." for status in statuses
        }
        change_each(
            desk,
            lambda customer_id: update_customer(customer_id, "assigned_to_email", new_address),
            whys,
            assigned_to_email=address,
            product_interest=slots["product"],
        )

    return act


def _draw_deletion(records: Records, rng: Random) -> Slots:
    return {
        "name": rng.choice(records.sales).first_name,
        "status": rng.choice(STATUSES),
        "product": rng.choice(PRODUCTS).lower(),
    }


def _delete_fitting(desk: Desk, slots: Slots) -> None:
    address, status = desk.address(slots["name"]), slots["status"]
    why = f"I look for {slots['name']}'s customers with the status {status}."
    conditions = {"assigned_to_email": address, "product_interest": slots["product"]}
    change_each(desk, delete_customer, {status: why}, **conditions)


def _draw_proposals(records: Records, rng: Random) -> Slots:
    return {"product": rng.choice(PRODUCTS).lower(), "weeks": str(rng.randint(*_WEEKS))}


def _give_up(desk: Desk, slots: Slots) -> None:
    latest = desk.today - timedelta(weeks=int(slots["weeks"]))
    why = f"I look for {slots['product']} proposals without contact for {slots['weeks']} weeks."
    proposals = partial(
        desk.customers,
        why,
        product_interest=slots["product"],
        status="Proposal",
        last_contact_date_max=latest.isoformat(),
    )
    for customer in desk.again(proposals):
        action = update_customer(customer.id, "status", "Lost")
        desk.do(action, "This customer is one of those asked for.")


INTENTS = intents(
    "crm/intents.toml",
    {
        "R1": (_draw_status, _set_status),
        "R2": (_draw_customer, _delete_one),
        "R3": (_draw_lead, _add_lead),
        "R4": (_draw_assignment, _assign),
        "R5": (_draw_handover, _hand_over("Lead")),
        "R6": (_draw_handover, _hand_over("Qualified", "Proposal")),
        "R7": (_draw_deletion, _delete_fitting),
        "R8": (_draw_proposals, _give_up),
    },
)
