from __future__ import annotations

import pytest

from tests.evals.episodes import make_task
from tests.tables import each_row
from worksmith.evals.tasks.task_filter import conditions, those_where
from worksmith.tools.errors import InputError
from worksmith.tools.persona import Persona

TASKS = [
    make_task(1, domains=("calendar",), area="HR", persona=Persona(id="e1", name="A", department="Finance")),
    make_task(2, domains=("calendar", "email"), area="IT"),
    make_task(3, domains=("crm",), area="IT"),
]


@each_row(
    ("asked", "found"),
    [
        ([], [1, 2, 3]),
        (["domain=email"], [2]),
        (["domain=email,CRM"], [2, 3]),
        (["area=it", "domain=calendar"], [2]),
        (["department=Finance"], [1]),
        (["area=HR", "domain=email"], []),
    ],
)
def test_all_conditions_hold_for_what_is_chosen(asked: list[str], found: list[int]) -> None:
    assert those_where(TASKS, conditions(asked)) == [TASKS[number - 1] for number in found]


@each_row("text", ["", "domain", "domain=", "=x", "colour=red", "domain=, ,"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(InputError) as error:
        those_where(TASKS, conditions([text]))
    assert error.value.where == "--where"


def test_a_value_that_no_task_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError) as error:
        those_where(TASKS, conditions(["area=Sales"]))
    assert error.value.hint == "there are HR, IT"
