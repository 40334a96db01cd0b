"""What changes in the employee directory."""

from __future__ import annotations

import pytest

from tests.tools.kinds.enterprise.calls import TODAY, call, change, refusal
from tests.tools.kinds.enterprise.conftest import Open
from tests.tools.kinds.enterprise.small_world import GITA, HR_ASSOCIATE, HR_LEAD, HR_MANAGER, LEAD, SALES_LEAD


def test_an_employee_is_registered_with_address_and_leaves(as_: Open) -> None:
    operation, _, person = change(
        as_,
        HR_LEAD,
        "employee_data.create",
        name="Gita  Sharma",
        department="engineering",
        level="9",
        title="Tester",
        reports_to="Farid Khan",
        salary="₹55,000",
    )

    assert operation == "insert"
    shown = ("emp_id", "name", "email", "department", "category", "level", "reports_to", "salary", "is_valid")
    assert [person[name] for name in shown] == [
        "emp_0021",
        "Gita Sharma",
        "gita.sharma2@example.com",
        "EN",
        "Engineering",
        "09",
        LEAD,
        "55000",
        "TRUE",
    ]
    assert (person["total_casual_leaves"], person["remaining_sick_leaves"]) == ("12", "10")
    assert (person["total_leaves_taken"], person["doj"], person["dol"]) == ("0", TODAY, None)


def test_an_update_changes_what_follows_from_it(as_: Open) -> None:
    _, before, after = change(
        as_, HR_LEAD, "employee_data.update", emp_id="Gita Sharma", department="Sales", reports_to=SALES_LEAD
    )

    assert after == {"department": "SA", "category": "Sales", "reports_to": SALES_LEAD}
    assert before == {"department": "EN", "category": "Engineering", "reports_to": LEAD}


def test_leaves_taken_follow_from_those_remaining(as_: Open) -> None:
    _, _, after = change(
        as_,
        HR_ASSOCIATE,
        "employee_data.update",
        emp_id=GITA,
        remaining_casual_leaves="9",
        remaining_sick_leaves="8",
    )

    assert after == {"remaining_casual_leaves": "9", "remaining_sick_leaves": "8", "total_leaves_taken": "5"}


def test_a_leaver_stays_on_record(as_: Open) -> None:
    episode = as_(HR_MANAGER)

    assert call(episode, "employee_data.delete", emp_id=GITA) == {"emp_id": GITA, "done": "deleted"}

    (made,) = episode.outcome().changes
    assert made.operation == "update"
    assert made.after == {"is_valid": "FALSE", "dol": TODAY}
    assert "has left" in episode.call("employee_data.delete", {"emp_id": GITA}).text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reports_to": "emp_0007"}, "is of level 09"),
        ({"reports_to": "Tara Left"}, "has left"),
        ({"level": "15"}, "15"),
        ({"salary": "much"}, "no number"),
        ({"performance_rating": "6"}, "at most 5"),
        ({"remaining_casual_leaves": "13"}, "at most 12"),
        ({"email": "emp_0007"}, "no mail address"),
        ({"email": "gita.sharma@example.com"}, "taken"),
        ({}, "Nothing to change"),
    ],
)
def test_what_a_personnel_record_may_not_say(as_: Open, arguments: dict[str, str], message: str) -> None:
    assert message in refusal(as_, HR_LEAD, "employee_data.update", emp_id=LEAD, **arguments)


def test_nobody_manages_their_own_manager(as_: Open) -> None:
    episode = as_(HR_LEAD)
    call(episode, "employee_data.update", emp_id=GITA, level="12")

    refused = episode.call("employee_data.update", {"emp_id": "emp_0005", "reports_to": GITA})

    assert "reports to them" in refused.text
