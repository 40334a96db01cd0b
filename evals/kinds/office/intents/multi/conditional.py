"""M2, M8-M21: consequences of overdue tasks, or of a daily figure of the web site beyond a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from random import Random
from typing import Any

from worksmith.evals.kinds.office.intents.actions import (
    add_lead,
    delete_customer,
    improvement,
    send,
    update_customer,
)
from worksmith.evals.kinds.office.intents.analytics.intents import (
    Condition,
    condition_held,
    draw_condition,
    draw_growth_comparison,
    grew_more,
    yesterday,
)
from worksmith.evals.kinds.office.intents.calendar.intents import book_tomorrow
from worksmith.evals.kinds.office.intents.crm.intents import change_each, new_customer_name
from worksmith.evals.kinds.office.intents.intent import Desk, Logic, Slots, intents
from worksmith.evals.kinds.office.intents.project_management.intents import fewest, most, overdue
from worksmith.evals.kinds.office.intents.texts import draw_text
from worksmith.evals.kinds.office.intents.wording import weekday_words
from worksmith.evals.kinds.office.records import Records

Part = Callable[[Records, Random, Slots], Slots | None]
"""Further slots for those drawn already; None to be asked again."""


def _rule(entry: Mapping[str, Any]) -> Logic:
    """What is drawn for a row of a data file, one part after another, and what is done."""
    starts, condition = _CONDITIONS[entry["when"]]
    parts = [*starts, *(_PARTS[each] if isinstance(each, str) else _texts(each) for each in entry["draw"])]

    def draw(records: Records, rng: Random) -> Slots | None:
        slots: Slots = {}
        for part in parts:
            added = part(records, rng, slots)
            if added is None:
                return None
            slots = {**slots, **added}
        # Tasks list an event's name last.
        return dict(sorted(slots.items(), key=lambda slot: slot[0] == "event_name"))

    def act(desk: Desk, slots: Slots) -> None:
        effects = entry["then"] if condition(desk, slots) else entry.get("otherwise", {})
        for name, options in effects.items():
            _ACTS[name](desk, slots, **options)

    return draw, act


def _texts(kinds: Mapping[str, str]) -> Part:
    """A text of the kind of each slot, with the slots it names filled in."""
    return lambda records, rng, slots: {slot: draw_text(rng, kind, slots) for slot, kind in kinds.items()}


def _figure(records: Records, rng: Random, slots: Slots) -> Slots | None:
    return draw_condition(records, rng)


def _two_figures(records: Records, rng: Random, slots: Slots) -> Slots | None:
    """Two figures whose growth until yesterday is compared."""
    found = draw_growth_comparison(records, rng)
    # Nothing grows from yesterday to yesterday.
    return None if found and found["weekday"] == weekday_words(yesterday(records.today)) else found


def _staff(records: Records, rng: Random, slots: Slots) -> Slots:
    return {"name": rng.choice(records.project_staff).first_name}


def _one_more_name(records: Records, rng: Random, slots: Slots) -> Slots:
    """A draw without use, which the names and texts of suites by their seed depend on."""
    _staff(records, rng, slots)
    return {}


def _anybody(records: Records, rng: Random, slots: Slots) -> Slots:
    return {"name": rng.choice(records.employees).first_name}


def _any_address(records: Records, rng: Random, slots: Slots) -> Slots:
    return {"address": rng.choice(records.employees).address}


def _seller(records: Records, rng: Random, slots: Slots) -> Slots | None:
    """A person in charge of customers; not the one already named."""
    name = rng.choice(records.sales).first_name
    return {"assignee": name} if name != slots.get("name") else None


def _free_tomorrow(records: Records, rng: Random, slots: Slots) -> Slots | None:
    """No slots, but tomorrow must not be full."""
    return None if records.free_slot_tomorrow() is None else {}


def _new_customer(records: Records, rng: Random, slots: Slots) -> Slots | None:
    name = new_customer_name(records, rng)
    return {"customer": name} if name else None


def _mail(
    desk: Desk, slots: Slots, to: str = "name", subject: str = "{subject}", body: str = "{body}"
) -> None:
    """Write to the colleague whose first name is in the slot `to`; subject and body may name slots."""
    action = send(desk.address(slots[to]), subject.format_map(slots), body.format_map(slots))
    desk.do(action, f"I send the email to {slots[to]}.")


def _mail_to_address(desk: Desk, slots: Slots) -> None:
    action = send(slots["address"], f"Update on {slots['metric']}", slots["body"])
    desk.do(action, "I send the email to the given address.")


def _meet(desk: Desk, slots: Slots, title: str = "Discuss {metric}") -> None:
    """Meet a colleague for half an hour in tomorrow's first free slot; there must be one."""
    book_tomorrow(desk, title.format_map(slots), desk.address(slots["name"]))


def _create_task(desk: Desk, slots: Slots, about: str = "metric") -> None:
    """Create a colleague's front-end task about the figure that a slot names."""
    action = improvement(slots[about], desk.address(slots["name"]), desk.today)
    desk.do(action, f"I create the task for {slots['name']}, due on Friday of next week.")


def _delete_leads(desk: Desk, slots: Slots) -> None:
    name = slots["assignee"]
    whys = {"Lead": f"I look for the leads of {name}."}
    change_each(desk, delete_customer, whys, assigned_to_email=desk.address(name))


def _hand_over_leads(desk: Desk, slots: Slots) -> None:
    name = slots["assignee"]
    owner, new_owner = desk.address(name), desk.address(slots["name"])
    change_each(
        desk,
        lambda customer_id: update_customer(customer_id, "assigned_to_email", new_owner),
        {"Lead": f"I look for the leads of {name}."},
        assigned_to_email=owner,
    )


def _task_for_top_finisher(desk: Desk, slots: Slots) -> None:
    why = "I look for the completed tasks of the Front end board, to count them by person."
    tasks = desk.tasks(why, list_name="Completed", board="Front end")
    if tasks:
        action = improvement(slots["metric"], most(task.assignee for task in tasks), desk.today)
        desk.do(action, "This person has completed most of them, so the new task goes there.")


def _add_for_fewest(desk: Desk, slots: Slots) -> None:
    why = "I look for all tasks that were due before today."
    late = overdue(desk.tasks(why, due_date=days_before(desk.today)), desk.today)
    if late:
        assignee = fewest(task.assignee for task in late)
        why = "Leaving out completed tasks, this person has the fewest of them, so the lead goes there."
        desk.do(add_lead(slots["customer"], assignee), why)


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


def _is_late(desk: Desk, slots: Slots) -> bool:
    address = desk.address(slots["name"])
    why = f"I look for all tasks of {slots['name']}, to see whether any is overdue."
    return bool(overdue(desk.tasks(why, assigned_to_email=address), desk.today))


_CONDITIONS: dict[str, tuple[tuple[Part, ...], Condition]] = {
    "always": ((), lambda desk, slots: True),
    "late": ((), _is_late),
    "passed": ((_figure,), condition_held),
    "grew more": ((_two_figures,), grew_more),
}
"""What is drawn first for a condition, and whether it holds."""

_PARTS: dict[str, Part] = {
    "new customer": _new_customer,
    "free tomorrow": _free_tomorrow,
    "staff": _staff,
    "anybody": _anybody,
    "address": _any_address,
    "seller": _seller,
    "one more name": _one_more_name,
}

_ACTS: dict[str, Callable[..., None]] = {
    "mail": _mail,
    "mail_to_address": _mail_to_address,
    "meet": _meet,
    "create_task": _create_task,
    "create_task_for_top_finisher": _task_for_top_finisher,
    "add_lead_for_fewest": _add_for_fewest,
    "delete_leads": _delete_leads,
    "hand_over_leads": _hand_over_leads,
}

INTENTS = (*intents("multi/overdue.toml", _rule), *intents("multi/metrics.toml", _rule))
