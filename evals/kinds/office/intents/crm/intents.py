"""Tasks about the customers (R1-R8): records are added, changed, handed over and deleted."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.crm.rules import (
    add_lead,
    change_each,
    delete_customer,
    find_customer,
    new_customer_name,
    update_customer,
)
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.records import Customer, Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.office.schema import PRODUCTS, STATUSES

_WEEKS = (3, 8)
_OPEN = ("Qualified", "Proposal")


def _customer(records: Records, slots: Slots) -> Customer:
    return next(one for one in records.customers if one.name.lower() == slots["customer"].lower())


def _draw_status(records: Records, rng: Random) -> Slots:
    customer = rng.choice(records.customers)
    others = [status for status in STATUSES if status != customer.status]
    return {"customer": customer.name, "status": rng.choice(others)}


def _set_status(records: Records, slots: Slots) -> list[Action]:
    return [update_customer(_customer(records, slots).id, "status", slots["status"].capitalize())]


def _solve_set_status(slots: Slots, call: PlanRecorder) -> None:
    row = find_customer(call, slots["customer"])
    action = update_customer(row["customer_id"], "status", slots["status"].capitalize())
    call.perform(action, "I set the new status.")


def _draw_customer(records: Records, rng: Random) -> Slots:
    return {"customer": rng.choice(records.customers).name}


def _delete_one(records: Records, slots: Slots) -> list[Action]:
    return [delete_customer(_customer(records, slots).id)]


def _solve_delete_one(slots: Slots, call: PlanRecorder) -> None:
    row = find_customer(call, slots["customer"])
    call.perform(delete_customer(row["customer_id"]), "I delete this customer.")


def _draw_lead(records: Records, rng: Random) -> Slots | None:
    name = new_customer_name(records, rng)
    return {"customer": name, "name": rng.choice(records.sales).first_name} if name else None


def _add_lead(records: Records, slots: Slots) -> list[Action]:
    return [add_lead(slots["customer"], records.address(slots["name"]))]


def _solve_add_lead(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    call.perform(add_lead(slots["customer"], address), "I add the new lead.")


def _draw_assignment(records: Records, rng: Random) -> Slots | None:
    customer, employee = rng.choice(records.customers), rng.choice(records.sales)
    if customer.assignee == employee.address:
        return None
    return {"customer": customer.name, "name": employee.first_name}


def _assign(records: Records, slots: Slots) -> list[Action]:
    address = records.address(slots["name"])
    return [update_customer(_customer(records, slots).id, "assigned_to_email", address)]


def _solve_assign(slots: Slots, call: PlanRecorder) -> None:
    row = find_customer(call, slots["customer"])
    address = call.find_address(slots["name"])
    action = update_customer(row["customer_id"], "assigned_to_email", address)
    call.perform(action, "I assign the customer.")


def _fitting(records: Records, slots: Slots, *statuses: str) -> list[Customer]:
    product = slots["product"].capitalize()
    return [
        customer
        for customer in records.customers_of.get(records.address(slots["name"]), [])
        if customer.status in statuses and customer.product == product
    ]


def _draw_handover(records: Records, rng: Random) -> Slots:
    name, new_name = (employee.first_name for employee in rng.sample(records.sales, 2))
    return {"name": name, "new_name": new_name, "product": rng.choice(PRODUCTS).lower()}


def _hand_over(records: Records, slots: Slots, *statuses: str) -> list[Action]:
    address = records.address(slots["new_name"])
    fitting = _fitting(records, slots, *statuses)
    return [update_customer(customer.id, "assigned_to_email", address) for customer in fitting]


def _solve_hand_over(slots: Slots, call: PlanRecorder, *statuses: str) -> None:
    address = call.find_address(slots["name"])
    new_address = call.find_address(slots["new_name"])
    for status in statuses:
        change_each(
            call,
            f"I look for {slots['name']}'s customers with the status {status}.",
            lambda customer_id: update_customer(customer_id, "assigned_to_email", new_address),
            assigned_to_email=address,
            product_interest=slots["product"],
            status=status,
        )


def _draw_deletion(records: Records, rng: Random) -> Slots:
    return {
        "name": rng.choice(records.sales).first_name,
        "status": rng.choice(STATUSES),
        "product": rng.choice(PRODUCTS).lower(),
    }


def _delete_fitting(records: Records, slots: Slots) -> list[Action]:
    fitting = _fitting(records, slots, slots["status"].capitalize())
    return [delete_customer(customer.id) for customer in fitting]


def _solve_delete_fitting(slots: Slots, call: PlanRecorder) -> None:
    address = call.find_address(slots["name"])
    change_each(
        call,
        f"I look for {slots['name']}'s customers with the status {slots['status']}.",
        delete_customer,
        assigned_to_email=address,
        product_interest=slots["product"],
        status=slots["status"],
    )


def _draw_proposals(records: Records, rng: Random) -> Slots:
    return {"product": rng.choice(PRODUCTS).lower(), "weeks": str(rng.randint(*_WEEKS))}


def _latest_contact(slots: Slots, today: date) -> date:
    return today - timedelta(weeks=int(slots["weeks"]))


def _give_up(records: Records, slots: Slots) -> list[Action]:
    latest, product = _latest_contact(slots, records.today), slots["product"].capitalize()
    return [
        update_customer(customer.id, "status", "Lost")
        for customer in records.customers
        if customer.status == "Proposal"
        and customer.product == product
        and customer.last_contact is not None
        and customer.last_contact <= latest
    ]


def _solve_give_up(slots: Slots, call: PlanRecorder) -> None:
    change_each(
        call,
        f"I look for {slots['product']} proposals without contact for {slots['weeks']} weeks.",
        lambda customer_id: update_customer(customer_id, "status", "Lost"),
        product_interest=slots["product"],
        status="Proposal",
        last_contact_date_max=_latest_contact(slots, call.today).isoformat(),
    )


INTENTS = intents(
    "crm/intents.toml",
    {
        "R1": Logic(_draw_status, _set_status, _solve_set_status),
        "R2": Logic(_draw_customer, _delete_one, _solve_delete_one),
        "R3": Logic(_draw_lead, _add_lead, _solve_add_lead),
        "R4": Logic(_draw_assignment, _assign, _solve_assign),
        "R5": Logic(
            _draw_handover,
            lambda records, slots: _hand_over(records, slots, "Lead"),
            lambda slots, call: _solve_hand_over(slots, call, "Lead"),
        ),
        "R6": Logic(
            _draw_handover,
            lambda records, slots: _hand_over(records, slots, *_OPEN),
            lambda slots, call: _solve_hand_over(slots, call, *_OPEN),
        ),
        "R7": Logic(_draw_deletion, _delete_fitting, _solve_delete_fitting),
        "R8": Logic(_draw_proposals, _give_up, _solve_give_up),
    },
)
