"""M10-M15, M17-M21: what follows when a daily figure of the web site passed a value or outgrew another."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worksmith.evals.kinds.office.intents.analytics.metrics import (
    check_condition,
    check_growth,
    condition_held,
    draw_condition,
    draw_growth_comparison,
    grew_more,
    yesterday,
)
from worksmith.evals.kinds.office.intents.calendar.rules import free_slot_tomorrow
from worksmith.evals.kinds.office.intents.intent import Draw, Slots, intents
from worksmith.evals.kinds.office.intents.multi.conditional import Condition, Effect, FindAddress, conditional
from worksmith.evals.kinds.office.intents.multi.effects import (
    leads_deleted,
    leads_handed_over,
    mail,
    mail_to_address,
    meeting,
    task,
)
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.project_management.rules import improvement, most, search_tasks
from worksmith.evals.kinds.office.intents.texts import draw_text
from worksmith.evals.kinds.office.intents.wording import weekday_words
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action

PASSED = Condition(condition_held, lambda slots, call, find: check_condition(slots, call))
OUTGREW = Condition(grew_more, lambda slots, call, find: check_growth(slots, call))

MoreSlots = Callable[[Records, Random, Slots], Slots | None]
"""Further slots for those drawn already; None to be asked again."""


def passing(*more: MoreSlots) -> Draw:
    """The slots of a condition on one figure, then further ones."""
    return _drawn(lambda records, rng, slots: draw_condition(records, rng), *more)


def outgrowing(*more: MoreSlots) -> Draw:
    """The slots of a comparison of two figures' growth until yesterday, then further ones."""

    def compared(records: Records, rng: Random, slots: Slots) -> Slots | None:
        found = draw_growth_comparison(records, rng)
        # Nothing grows from yesterday to yesterday.
        return None if found and found["weekday"] == weekday_words(yesterday(records.today)) else found

    return _drawn(compared, *more)


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


def staff(records: Records, rng: Random, slots: Slots) -> Slots:
    """A member of the project staff, as `name`."""
    return {"name": rng.choice(records.project_staff).first_name}


def anybody(records: Records, rng: Random, slots: Slots) -> Slots:
    """Any colleague, as `name`."""
    return {"name": rng.choice(records.employees).first_name}


def any_address(records: Records, rng: Random, slots: Slots) -> Slots:
    return {"address": rng.choice(records.employees).address}


def seller(records: Records, rng: Random, slots: Slots) -> Slots | None:
    """Somebody in charge of customers, as `assignee`; not the one named already."""
    name = rng.choice(records.sales).first_name
    return {"assignee": name} if name != slots.get("name") else None


def free_tomorrow(records: Records, rng: Random, slots: Slots) -> Slots | None:
    """No slots, but tomorrow must not be full."""
    return None if free_slot_tomorrow(records) is None else {}


def text(slot: str, kind: str) -> MoreSlots:
    """A text of that kind, with the slots it names filled in."""
    return lambda records, rng, slots: {slot: draw_text(rng, kind, slots)}


def task_for_top_finisher(records: Records, slots: Slots) -> list[Action]:
    finishers = _finishers(records)
    return [improvement(slots["metric"], most(finishers), records.today)] if finishers else []


def solve_task_for_top_finisher(slots: Slots, call: PlanRecorder, find: FindAddress) -> None:
    why = "I look for the completed tasks of the Front end board, to count them by person."
    rows = search_tasks(call, why, list_name="Completed", board="Front end")
    if rows:
        action = improvement(slots["metric"], most(row["assigned_to_email"] for row in rows), call.today)
        call.perform(action, "This person has completed most of them, so the new task goes there.")


def _finishers(records: Records) -> list[str]:
    return [
        task.assignee for task in records.tasks if task.list_name == "Completed" and task.board == "Front end"
    ]


TASK, MEETING = task("metric"), meeting("Discuss {metric}")
CALM_MAIL = mail("Recent {metric}", "{body}")

INTENTS = intents(
    "multi/metrics.toml",
    {
        "M10": conditional(
            passing(any_address, text("body", "metric_alerts")),
            PASSED,
            (mail_to_address("Update on {metric}", "{body}"),),
        ),
        "M11": conditional(passing(free_tomorrow, anybody), PASSED, (MEETING,)),
        "M12": conditional(passing(staff), PASSED, (TASK,)),
        "M13": conditional(passing(), PASSED, (Effect(task_for_top_finisher, solve_task_for_top_finisher),)),
        "M14": conditional(outgrowing(staff), OUTGREW, (task("metric_2"),)),
        "M15": conditional(passing(seller), PASSED, (leads_deleted("assignee"),)),
        "M17": conditional(passing(staff, text("body", "metric_calm")), PASSED, (TASK,), (CALM_MAIL,)),
        "M18": conditional(outgrowing(free_tomorrow, staff), OUTGREW, (task("metric_2"), MEETING)),
        "M19": conditional(
            passing(
                seller,
                text("subject", "priority_subjects"),
                text("body", "leads_dropped"),
                text("other_body", "leads_kept"),
            ),
            PASSED,
            (leads_deleted("assignee"), mail("{subject}", "{body}", who="assignee")),
            (mail("{subject}", "{other_body}", who="assignee"),),
        ),
        "M20": conditional(
            passing(free_tomorrow, staff, text("body", "metric_calm")), PASSED, (TASK, MEETING), (CALM_MAIL,)
        ),
        "M21": conditional(
            passing(
                free_tomorrow,
                staff,
                seller,
                text("subject", "handover_subjects"),
                text("body", "handover_bodies"),
            ),
            PASSED,
            (TASK, MEETING),
            (leads_handed_over("assignee", "name"), mail("{subject}", "{body}")),
        ),
    },
)
