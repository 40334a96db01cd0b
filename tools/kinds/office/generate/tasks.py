"""The project tasks of a generated office."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from worksmith.tools.kinds.office.generate.names import Cast, Employee, pool, record_id
from worksmith.tools.kinds.office.schema import LISTS, Row
from worksmith.tools.seeding import rng

_FIRST_DUE, _LAST_DUE = -3, 13
_LIST_WEIGHTS = (0.7, 0.04, 0.16, 0.1)
_PUNCTUAL = 6
"""The number of employees, the first of the directory, who have completed all due tasks."""


def task_names(board: str) -> list[str]:
    texts = pool()["tasks"][board]
    return [pattern.format(part) for pattern in texts["patterns"] for part in texts["parts"]]


def tasks(seed: int, count: int, now: datetime, cast: Cast) -> list[Row]:
    """`count` tasks, equally many on each board, no employee with two of one name, by due date."""
    numbers = rng(seed, "office", "tasks")
    punctual = {employee.address for employee in cast.everyone[:_PUNCTUAL]}
    rows: list[Row] = []
    for place, (board, staff) in enumerate(cast.boards.items()):
        share = count * (place + 1) // len(cast.boards) - count * place // len(cast.boards)
        for name, employee in _assignments(numbers, share, board, staff):
            due = now.date() + timedelta(days=numbers.randint(_FIRST_DUE, _LAST_DUE))
            chosen = numbers.choices(LISTS, _LIST_WEIGHTS)[0]
            done = due < now.date() and employee.address in punctual
            rows.append(
                (
                    record_id(len(rows)),
                    name,
                    employee.address,
                    "Completed" if done else chosen,
                    due.isoformat(),
                    board,
                )
            )
    numbers.shuffle(rows)  # tasks due on one day are not grouped by board
    return sorted(rows, key=lambda row: str(row[4]))


def _assignments(
    numbers: random.Random, count: int, board: str, staff: tuple[Employee, ...]
) -> list[tuple[str, Employee]]:
    """Names of tasks by assignee. Each employee gets one first: only assignees can get further ones."""
    pairs = [(name, employee) for name in task_names(board) for employee in staff]
    found = [(numbers.choice(task_names(board)), employee) for employee in staff][:count]
    pairs = [pair for pair in pairs if pair not in found]
    part = 1
    while len(found) < count:
        named = [(name if part == 1 else f"{name}, part {part}", employee) for name, employee in pairs]
        found.extend(numbers.sample(named, min(count - len(found), len(named))))
        part += 1
    return found
