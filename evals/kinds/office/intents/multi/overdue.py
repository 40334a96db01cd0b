"""M2, M8, M9, M16: what follows from overdue tasks."""

from __future__ import annotations

from datetime import date
from random import Random

from worksmith.evals.kinds.office.intents.calendar.rules import free_slot_tomorrow
from worksmith.evals.kinds.office.intents.crm.rules import add_lead, new_customer_name
from worksmith.evals.kinds.office.intents.intent import Logic, Slots, intents
from worksmith.evals.kinds.office.intents.multi.conditional import Condition, FindAddress, conditional
from worksmith.evals.kinds.office.intents.multi.effects import mail, meeting
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.project_management.rules import (
    fewest,
    overdue,
    overdue_rows,
    search_tasks,
)
from worksmith.evals.kinds.office.intents.texts import draw_text
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action


def draw_new_customer(records: Records, rng: Random) -> Slots | None:
    customer = new_customer_name(records, rng)
    return {"customer": customer} if customer else None


def add_for_fewest(records: Records, slots: Slots) -> list[Action]:
    late = overdue(records.tasks, records.today)
    return [add_lead(slots["customer"], fewest(task.assignee for task in late))] if late else []


def solve_add_for_fewest(slots: Slots, call: PlanRecorder) -> None:
    why = "I look for all tasks that were due before today."
    late = overdue_rows(search_tasks(call, why, due_date=days_before(call.today)), call.today)
    if late:
        assignee = fewest(row["assigned_to_email"] for row in late)
        why = "Leaving out completed tasks, this person has the fewest of them, so the lead goes there."
        call.perform(add_lead(slots["customer"], assignee), why)


def days_before(today: date) -> str:
    """A regular expression for the days of last year and this year before `today`."""
    months = _two_digits_below(f"{today.year}-", today.month)
    days = _two_digits_below(f"{today.year}-{today.month:02}-", today.day)
    return "|".join([f"{today.year - 1}-", *months, *days])


def _two_digits_below(prefix: str, number: int) -> list[str]:
    """Regular expressions for a prefix and a lower two-digit number."""
    tens, units = divmod(number, 10)
    last = f"[0-{units - 1}]" if units > 1 else "0"
    return [f"{prefix}{ten}" for ten in range(tens)] + ([f"{prefix}{tens}{last}"] if units else [])


def draw_mails(records: Records, rng: Random) -> Slots:
    return {
        "name": rng.choice(records.project_staff).first_name,
        "subject": draw_text(rng, "overdue_subjects"),
        "body": draw_text(rng, "overdue_bodies"),
        "other_subject": draw_text(rng, "on_time_subjects"),
        "other_body": draw_text(rng, "on_time_bodies"),
    }


def draw_meeting(records: Records, rng: Random) -> Slots | None:
    if free_slot_tomorrow(records) is None:
        return None
    return {
        "name": rng.choice(records.project_staff).first_name,
        "event_name": draw_text(rng, "overdue_events"),
    }


def draw_mails_and_meeting(records: Records, rng: Random) -> Slots | None:
    meeting = draw_meeting(records, rng)
    return meeting and {**draw_mails(records, rng), **meeting}


def is_late(records: Records, slots: Slots) -> bool:
    return bool(overdue(records.tasks_of.get(records.address(slots["name"]), []), records.today))


def check_late(slots: Slots, call: PlanRecorder, find: FindAddress) -> bool:
    why = f"I look for all tasks of {slots['name']}, to see whether any is overdue."
    return bool(overdue_rows(search_tasks(call, why, assigned_to_email=find(slots["name"])), call.today))


LATE = Condition(is_late, check_late)
WARNING, PRAISE = mail("{subject}", "{body}"), mail("{other_subject}", "{other_body}")

INTENTS = intents(
    "multi/overdue.toml",
    {
        "M2": Logic(draw_new_customer, add_for_fewest, solve_add_for_fewest),
        "M8": conditional(draw_mails, LATE, (WARNING,), (PRAISE,)),
        "M9": conditional(draw_meeting, LATE, (meeting("{event_name}"),)),
        "M16": conditional(draw_mails_and_meeting, LATE, (meeting("{event_name}"), WARNING), (PRAISE,)),
    },
)
