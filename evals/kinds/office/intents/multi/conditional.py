"""M2, M8-M21: consequences of overdue tasks, or of a daily figure of the web site beyond a value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from random import Random

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
from worksmith.evals.kinds.office.intents.intent import Act, Desk, Draw, Slots, intents
from worksmith.evals.kinds.office.intents.project_management.intents import fewest, most, overdue
from worksmith.evals.kinds.office.intents.texts import draw_text
from worksmith.evals.kinds.office.intents.wording import weekday_words
from worksmith.evals.kinds.office.records import Records

MoreSlots = Callable[[Records, Random, Slots], Slots | None]
"""Further slots for those drawn already; None to be asked again."""


def _drawn(*parts: MoreSlots) -> Draw:
    def draw(records: Records, rng: Random) -> Slots | None:
        slots: Slots = {}
        for part in parts:
            added = part(records, rng, slots)
            if added is None:
                return None
            slots = {**slots, **added}
        return slots

    return draw


def _passing(*more: MoreSlots) -> Draw:
    """The slots of a condition on one figure, then further ones."""
    return _drawn(lambda records, rng, slots: draw_condition(records, rng), *more)


def _outgrowing(*more: MoreSlots) -> Draw:
    """The slots of a comparison of two figures' growth until yesterday, then further ones."""

    def compared(records: Records, rng: Random, slots: Slots) -> Slots | None:
        found = draw_growth_comparison(records, rng)
        # Nothing grows from yesterday to yesterday.
        return None if found and found["weekday"] == weekday_words(yesterday(records.today)) else found

    return _drawn(compared, *more)


def _staff(records: Records, rng: Random, slots: Slots) -> Slots:
    return {"name": rng.choice(records.project_staff).first_name}


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


def _text(slot: str, kind: str) -> MoreSlots:
    """A text of that kind, with the slots it names filled in."""
    return lambda records, rng, slots: {slot: draw_text(rng, kind, slots)}


def _new_customer(records: Records, rng: Random, slots: Slots) -> Slots | None:
    name = new_customer_name(records, rng)
    return {"customer": name} if name else None


def _if(condition: Condition, then: tuple[Act, ...], otherwise: tuple[Act, ...] = ()) -> Act:
    def act(desk: Desk, slots: Slots) -> None:
        for effect in then if condition(desk, slots) else otherwise:
            effect(desk, slots)

    return act


def _mail(subject: str, body: str, who: str = "name") -> Act:
    """Write to the colleague whose first name is in the slot `who`; subject and body may name slots."""

    def act(desk: Desk, slots: Slots) -> None:
        action = send(desk.address(slots[who]), subject.format_map(slots), body.format_map(slots))
        desk.do(action, f"I send the email to {slots[who]}.")

    return act


def _mail_to_address(desk: Desk, slots: Slots) -> None:
    action = send(slots["address"], f"Update on {slots['metric']}", slots["body"])
    desk.do(action, "I send the email to the given address.")


def _meeting(title: str) -> Act:
    """Meet a colleague for half an hour in tomorrow's first free slot; there must be one."""

    def act(desk: Desk, slots: Slots) -> None:
        book_tomorrow(desk, title.format_map(slots), desk.address(slots["name"]))

    return act


def _task(metric: str) -> Act:
    """Create a colleague's front-end task about the figure that the slot `metric` names."""

    def act(desk: Desk, slots: Slots) -> None:
        action = improvement(slots[metric], desk.address(slots["name"]), desk.today)
        desk.do(action, f"I create the task for {slots['name']}, due on Friday of next week.")

    return act


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


_MAILS = (
    *(_text("subject", "overdue_subjects"), _text("body", "overdue_bodies")),
    *(_text("other_subject", "on_time_subjects"), _text("other_body", "on_time_bodies")),
)
_draw_mails = _drawn(_staff, *_MAILS)
_draw_meeting = _drawn(_free_tomorrow, _staff, _text("event_name", "overdue_events"))


def _draw_mails_and_meeting(records: Records, rng: Random) -> Slots | None:
    meeting = _draw_meeting(records, rng)
    return meeting and {**(_draw_mails(records, rng) or {}), **meeting}


_LATE_MEETING = _meeting("{event_name}")
_WARNING, _PRAISE = _mail("{subject}", "{body}"), _mail("{other_subject}", "{other_body}")
_TASK, _MEETING = _task("metric"), _meeting("Discuss {metric}")
_CALM_MAIL = _mail("Recent {metric}", "{body}")
_CALM = _text("body", "metric_calm")

OVERDUE = intents(
    "multi/overdue.toml",
    {
        "M2": (_drawn(_new_customer), _add_for_fewest),
        "M8": (_draw_mails, _if(_is_late, (_WARNING,), (_PRAISE,))),
        "M9": (_draw_meeting, _if(_is_late, (_LATE_MEETING,))),
        "M16": (_draw_mails_and_meeting, _if(_is_late, (_LATE_MEETING, _WARNING), (_PRAISE,))),
    },
)

METRICS = intents(
    "multi/metrics.toml",
    {
        "M10": (
            _passing(_any_address, _text("body", "metric_alerts")),
            _if(condition_held, (_mail_to_address,)),
        ),
        "M11": (_passing(_free_tomorrow, _anybody), _if(condition_held, (_MEETING,))),
        "M12": (_passing(_staff), _if(condition_held, (_TASK,))),
        "M13": (_passing(), _if(condition_held, (_task_for_top_finisher,))),
        "M14": (_outgrowing(_staff), _if(grew_more, (_task("metric_2"),))),
        "M15": (_passing(_seller), _if(condition_held, (_delete_leads,))),
        "M17": (_passing(_staff, _CALM), _if(condition_held, (_TASK,), (_CALM_MAIL,))),
        "M18": (_outgrowing(_free_tomorrow, _staff), _if(grew_more, (_task("metric_2"), _MEETING))),
        "M19": (
            _passing(
                _seller,
                _text("subject", "priority_subjects"),
                _text("body", "leads_dropped"),
                _text("other_body", "leads_kept"),
            ),
            _if(
                condition_held,
                (_delete_leads, _mail("{subject}", "{body}", "assignee")),
                (_mail("{subject}", "{other_body}", "assignee"),),
            ),
        ),
        "M20": (
            _passing(_free_tomorrow, _staff, _CALM),
            _if(condition_held, (_TASK, _MEETING), (_CALM_MAIL,)),
        ),
        "M21": (
            _passing(
                _free_tomorrow,
                _staff,
                _seller,
                _text("subject", "handover_subjects"),
                _text("body", "handover_bodies"),
            ),
            _if(
                condition_held,
                (_TASK, _MEETING),
                (_hand_over_leads, _mail("{subject}", "{body}")),
            ),
        ),
    },
)

INTENTS = (*OVERDUE, *METRICS)
