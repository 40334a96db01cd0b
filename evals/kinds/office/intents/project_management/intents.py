"""P1-P8: the task boards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from worksmith.evals.kinds.office.intents.intent import Logic, Oracle, Slots, Solve, intents
from worksmith.evals.kinds.office.intents.plan_recorder import PlanRecorder
from worksmith.evals.kinds.office.intents.project_management.rules import (
    create,
    overdue,
    overdue_rows,
    search_tasks,
    update,
)
from worksmith.evals.kinds.office.intents.texts import draw_task_name
from worksmith.evals.kinds.office.intents.wording import day_of, day_words
from worksmith.evals.kinds.office.records import ProjectTask, Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.kinds.office.schema import BOARDS

Chosen = Callable[[Records, str], list[ProjectTask]]
"""Which of the tasks assigned to an address are meant."""


def draw_one(records: Records, rng: Random) -> Slots:
    return {"name": rng.choice(records.project_staff).first_name}


def draw_two(records: Records, rng: Random) -> Slots:
    one, two = rng.sample(records.project_staff, 2)
    return {"name_1": one.first_name, "name_2": two.first_name}


def in_list(list_name: str) -> Chosen:

    def chosen(records: Records, address: str) -> list[ProjectTask]:
        return [task for task in records.tasks_of.get(address, []) if task.list_name == list_name]

    return chosen


def overdue_backlog(records: Records, address: str) -> list[ProjectTask]:
    return overdue(in_list("Backlog")(records, address), records.today)


def moved(chosen: Chosen, target: str) -> Oracle:
    """Put each of the chosen tasks into the list `target`."""

    def oracle(records: Records, slots: Slots) -> list[Action]:
        tasks = chosen(records, records.address(slots["name"]))
        return [update(task.id, "list_name", target) for task in tasks]

    return oracle


def solve_move(source: str, target: str, only_overdue: bool = False) -> Solve:

    def solve(slots: Slots, call: PlanRecorder) -> None:
        name = slots["name"]
        rows = _search_list(call, name, call.find_address(name), source, only_overdue)
        for row in rows:
            reason = (
                f"This task is {'overdue' if only_overdue else f'in {source}'}, so I move it to {target}."
            )
            call.perform(update(row["task_id"], "list_name", target), reason)

    return solve


def reassigned(chosen: Chosen) -> Oracle:
    """Assign each of the chosen tasks to the second person."""

    def oracle(records: Records, slots: Slots) -> list[Action]:
        tasks = chosen(records, records.address(slots["name_1"]))
        return [_hand_over(task.id, records.address(slots["name_2"])) for task in tasks]

    return oracle


def solve_reassign(source: str, only_overdue: bool = False) -> Solve:

    def solve(slots: Slots, call: PlanRecorder) -> None:
        one, two = slots["name_1"], slots["name_2"]
        owner, new_owner = call.find_address(one), call.find_address(two)
        for row in _search_list(call, one, owner, source, only_overdue):
            reason = f"This task is {'overdue' if only_overdue else f'in {source}'}, so I assign it to {two}."
            call.perform(_hand_over(row["task_id"], new_owner), reason)

    return solve


def _search_list(
    call: PlanRecorder, name: str, address: str, source: str, only_overdue: bool
) -> list[dict[str, str]]:
    why = f"I look for the tasks that {name} has in the list {source}."
    rows = search_tasks(call, why, assigned_to_email=address, list_name=source)
    return overdue_rows(rows, call.today) if only_overdue else rows


def _hand_over(task_id: str, address: str) -> Action:
    return update(task_id, "assigned_to_email", address)


def draw_new_task(records: Records, rng: Random) -> Slots:
    board = rng.choice(BOARDS)
    return {
        "task_name": draw_task_name(rng, board),
        "board": board,
        "name": rng.choice(records.project_staff).first_name,
        "date": day_words(records.today + timedelta(days=rng.randint(1, 7))),
    }


def create_task(records: Records, slots: Slots) -> list[Action]:
    return [_new_task(slots, records.address(slots["name"]), records.today)]


def solve_create_task(slots: Slots, call: PlanRecorder) -> None:
    action = _new_task(slots, call.find_address(slots["name"]), call.today)
    call.perform(action, "I create the task in the backlog of that board.")


def _new_task(slots: Slots, address: str, today: date) -> Action:
    return create(slots["task_name"], slots["board"], address, day_of(slots["date"], today))


def draw_most_urgent(records: Records, rng: Random) -> Slots | None:
    one, two = rng.sample(records.project_staff, 2)
    if not in_list("Backlog")(records, one.address):
        return None
    return {"name_1": one.first_name, "name_2": two.first_name}


def reassign_most_urgent(records: Records, slots: Slots) -> list[Action]:
    tasks = in_list("Backlog")(records, records.address(slots["name_1"]))
    urgent = min(tasks, key=lambda task: (task.due, task.name.casefold()))
    return [_hand_over(urgent.id, records.address(slots["name_2"]))]


def solve_reassign_most_urgent(slots: Slots, call: PlanRecorder) -> None:
    one, two = slots["name_1"], slots["name_2"]
    owner, new_owner = call.find_address(one), call.find_address(two)
    rows = _search_list(call, one, owner, "Backlog", only_overdue=False)
    urgent = min(rows, key=lambda row: (row["due_date"], row["task_name"].casefold()))
    action = _hand_over(urgent["task_id"], new_owner)
    call.perform(action, f"This task is due first, so I assign it to {two}.")


IN_PROGRESS, IN_REVIEW = in_list("In Progress"), in_list("In Review")

INTENTS = intents(
    "project_management/intents.toml",
    {
        "P1": Logic(draw_one, moved(IN_PROGRESS, "In Review"), solve_move("In Progress", "In Review")),
        "P2": Logic(draw_new_task, create_task, solve_create_task),
        "P3": Logic(
            draw_one,
            moved(overdue_backlog, "In Progress"),
            solve_move("Backlog", "In Progress", only_overdue=True),
        ),
        "P4": Logic(draw_one, moved(IN_REVIEW, "Completed"), solve_move("In Review", "Completed")),
        "P5": Logic(draw_two, reassigned(IN_PROGRESS), solve_reassign("In Progress")),
        "P6": Logic(draw_one, moved(IN_PROGRESS, "Backlog"), solve_move("In Progress", "Backlog")),
        "P7": Logic(
            draw_two,
            reassigned(overdue_backlog),
            solve_reassign("Backlog", only_overdue=True),
        ),
        "P8": Logic(draw_most_urgent, reassign_most_urgent, solve_reassign_most_urgent),
    },
)
