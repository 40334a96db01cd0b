"""What the tasks about the task boards mean, where it matters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.kinds.office.handmade import ADA, BEA, Office, ids, task


@pytest.fixture
def there(tmp_path: Path) -> Office:
    return Office(
        tmp_path,
        tasks=[
            task(1, ADA, "In Review", "2024-10-13"),
            task(2, ADA, "Completed", "2024-10-14"),
            task(3, ADA, "Backlog", "2024-10-15"),
            task(4, BEA, "Backlog", "2024-10-15"),
            task(5, ADA, "Backlog", "2024-10-16"),
            task(6, ADA, "In Progress", "2024-10-16"),
            task(7, ADA, "Backlog", "2024-10-17"),
        ],
    )


def test_what_is_due_today_is_not_overdue(there: Office) -> None:
    assert ids(there.answer("P3", name="Ada")) == ["00000003", "00000005"]
    assert ids(there.answer("P7", name_1="Ada", name_2="Bea")) == ["00000003", "00000005"]


def test_each_list_is_a_list_of_its_own(there: Office) -> None:
    assert ids(there.answer("P1", name="Ada")) == ["00000006"]
    assert ids(there.answer("P4", name="Ada")) == ["00000001"]
    assert ids(there.answer("P5", name_1="Ada", name_2="Bea")) == ["00000006"]
    assert ids(there.answer("P6", name="Ada")) == ["00000006"]
    assert there.answer("P6", name="Bea") == []


def test_the_most_urgent_task_is_sought_in_the_backlog(there: Office) -> None:
    (action,) = there.answer("P8", name_1="Ada", name_2="Bea")
    assert action.arguments == {"task_id": "00000003", "field": "assigned_to_email", "new_value": BEA}


def test_a_new_task_says_everything(there: Office) -> None:
    (action,) = there.answer("P2", task_name="Ship it", board="Design", name="Bea", date="October 20")
    assert action.arguments == {
        "task_name": "Ship it",
        "board": "Design",
        "assigned_to_email": BEA,
        "due_date": "2024-10-20",
        "list_name": "Backlog",
    }
