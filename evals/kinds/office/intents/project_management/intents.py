"""P1-P8: the task boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.actions import create_task, update_task
from worksmith.evals.kinds.office.intents.intent import Act, Desk, Slots, intents
from worksmith.evals.kinds.office.intents.texts import draw_task_name
from worksmith.evals.kinds.office.intents.wording import day_of, day_words
from worksmith.evals.kinds.office.records import ProjectTask, Records
from worksmith.tools.kinds.office.schema import BOARDS


def overdue(tasks: Iterable[ProjectTask], today: date) -> list[ProjectTask]:
    """Those that were due before `today` and are not completed."""
    return [task for task in tasks if task.due < today and task.list_name != "Completed"]


def fewest(addresses: Iterable[str]) -> str:
    """The address that occurs least often but does occur; in a tie the first in the alphabet."""
    counts = Counter(addresses)
    return min(counts, key=lambda address: (counts[address], address))


def most(addresses: Iterable[str]) -> str:
    """The address that occurs most often; in a tie the first in the alphabet."""
    counts = Counter(addresses)
    return min(counts, key=lambda address: (-counts[address], address))


def _draw_one(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.project_staff).first_name}


def _draw_two(records: Records, rng: Random) -> Slots:
    one, two = rng.sample(records.project_staff, 2)
    return {"name_1": one.first_name, "name_2": two.first_name}


def _in_list(desk: Desk, name: str, address: str, source: str) -> list[ProjectTask]:
    why = f"I look for the tasks that {name} has in the list {source}."
    return desk.tasks(why, assigned_to_email=address, list_name=source)


def _change_each(
    desk: Desk, name: str, source: str, only_overdue: bool, field: str, value: str, do: str
) -> None:
    """Change all tasks of a person in a list."""
    tasks = _in_list(desk, name, desk.address(name), source)
    state = "overdue" if only_overdue else f"in {source}"
    for task in overdue(tasks, desk.today) if only_overdue else tasks:
        desk.do(update_task(task.id, field, value), f"This task is {state}, so I {do}.")


def _move(source: str, target: str, only_overdue: bool = False) -> Act:
    def act(desk: Desk, slots: Slots) -> None:
        do = f"move it to {target}"
        _change_each(desk, slots["name"], source, only_overdue, "list_name", target, do)

    return act


def _reassign(source: str, only_overdue: bool = False) -> Act:
    def act(desk: Desk, slots: Slots) -> None:
        one, two = slots["name_1"], slots["name_2"]
        _, new_owner = desk.address(one), desk.address(two)
        do = f"assign it to {two}"
        _change_each(desk, one, source, only_overdue, "assigned_to_email", new_owner, do)

    return act


def _draw_new_task(records: Records, rng: Random) -> Slots:
    board = rng.choice(BOARDS)
    return {
        "task_name": draw_task_name(rng, board),
        "board": board,
        "name": rng.choice(records.project_staff).first_name,
        "date": day_words(records.today + timedelta(days=rng.randint(1, 7))),
    }


def _create_task(desk: Desk, slots: Slots) -> None:
    address, due = desk.address(slots["name"]), day_of(slots["date"], desk.today)
    action = create_task(slots["task_name"], slots["board"], address, due)
    desk.do(action, "I create the task in the backlog of that board.")


def _draw_most_urgent(records: Records, rng: Random) -> Slots | None:
    slots = _draw_two(records, rng)
    tasks = records.tasks_of[records.address(slots["name_1"])]
    return slots if any(task.list_name == "Backlog" for task in tasks) else None


def _reassign_most_urgent(desk: Desk, slots: Slots) -> None:
    one, two = slots["name_1"], slots["name_2"]
    owner, new_owner = desk.address(one), desk.address(two)
    tasks = _in_list(desk, one, owner, "Backlog")
    urgent = min(tasks, key=lambda task: (task.due, task.name.casefold()))
    action = update_task(urgent.id, "assigned_to_email", new_owner)
    desk.do(action, f"This task is due first, so I assign it to {two}.")


INTENTS = intents(
    "project_management/intents.toml",
    {
        "P1": (_draw_one, _move("In Progress", "In Review")),
        "P2": (_draw_new_task, _create_task),
        "P3": (_draw_one, _move("Backlog", "In Progress", only_overdue=True)),
        "P4": (_draw_one, _move("In Review", "Completed")),
        "P5": (_draw_two, _reassign("In Progress")),
        "P6": (_draw_one, _move("In Progress", "Backlog")),
        "P7": (_draw_two, _reassign("Backlog", only_overdue=True)),
        "P8": (_draw_most_urgent, _reassign_most_urgent),
    },
)
