"""Effects that tasks over several toolkits ask for: mails, meetings, tasks, changes of leads."""

from __future__ import annotations

from worksmith.evals.kinds.office.intents.calendar.rules import (
    create_event,
    find_free_slot_tomorrow,
    meeting_tomorrow,
)
from worksmith.evals.kinds.office.intents.crm.rules import change_each, delete_customer, update_customer
from worksmith.evals.kinds.office.intents.email.rules import send
from worksmith.evals.kinds.office.intents.intent import Slots
from worksmith.evals.kinds.office.intents.multi.conditional import Effect, FindAddress
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.project_management.rules import improvement
from worksmith.evals.kinds.office.records import Customer, Records
from worksmith.evals.tasks.task import Action


def mail(subject: str, body: str, who: str = "name") -> Effect:
    """Write to the colleague whose first name is in the slot `who`; subject and body may name slots."""

    def made(slots: Slots, address: str) -> Action:
        return send(address, subject.format_map(slots), body.format_map(slots))

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        call.perform(made(slots, find(slots[who])), f"I send the email to {slots[who]}.")

    return Effect(lambda records, slots: [made(slots, records.address(slots[who]))], solve)


def mail_to_address(subject: str, body: str) -> Effect:
    """Write to the slot `address`."""

    def made(slots: Slots) -> Action:
        return send(slots["address"], subject.format_map(slots), body.format_map(slots))

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        call.perform(made(slots), "I send the email to the given address.")

    return Effect(lambda records, slots: [made(slots)], solve)


def meeting(title: str) -> Effect:
    """Meet a colleague for half an hour in tomorrow's first free slot; there must be one."""

    def answer(records: Records, slots: Slots) -> list[Action]:
        return [meeting_tomorrow(records, title.format_map(slots), records.address(slots["name"]))]

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        address, start = find(slots["name"]), find_free_slot_tomorrow(call)
        action = create_event(title.format_map(slots), address, start, 30)
        call.perform(action, "I create the event in the first free slot tomorrow.")

    return Effect(answer, solve)


def task(metric: str, who: str = "name") -> Effect:
    """Create a colleague's front-end task about the figure that the slot `metric` names."""

    def answer(records: Records, slots: Slots) -> list[Action]:
        return [improvement(slots[metric], records.address(slots[who]), records.today)]

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        action = improvement(slots[metric], find(slots[who]), call.today)
        call.perform(action, f"I create the task for {slots[who]}, due on Friday of next week.")

    return Effect(answer, solve)


def leads_deleted(who: str) -> Effect:
    """Delete a colleague's leads."""

    def answer(records: Records, slots: Slots) -> list[Action]:
        return [delete_customer(lead.id) for lead in _leads(records, slots[who])]

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        owner = find(slots[who])
        why = f"I look for the leads of {slots[who]}."
        change_each(call, why, delete_customer, assigned_to_email=owner, status="Lead")

    return Effect(answer, solve)


def leads_handed_over(who: str, to_whom: str) -> Effect:
    """Assign a colleague's leads to another."""

    def answer(records: Records, slots: Slots) -> list[Action]:
        return [
            _handed_over(lead.id, records.address(slots[to_whom])) for lead in _leads(records, slots[who])
        ]

    def solve(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
        owner, new_owner = find(slots[who]), find(slots[to_whom])
        change_each(
            call,
            f"I look for the leads of {slots[who]}.",
            lambda customer_id: _handed_over(customer_id, new_owner),
            assigned_to_email=owner,
            status="Lead",
        )

    return Effect(answer, solve)


def _handed_over(customer_id: str, address: str) -> Action:
    return update_customer(customer_id, "assigned_to_email", address)


def _leads(records: Records, name: str) -> list[Customer]:
    customers = records.customers_of.get(records.address(name), [])
    return [customer for customer in customers if customer.status == "Lead"]
