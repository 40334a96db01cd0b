"""What the tasks over several toolkits mean, where it matters."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.kinds.office.handmade import (
    ADA,
    BEA,
    CEM,
    DOV,
    Office,
    Row,
    customer,
    event,
    mail,
    task,
    visits,
)
from worksmith.evals.kinds.office.intents.multi.conditional import days_before

MAIL = {"subject": "Hello", "body": "How are you?"}
OTHER_MAIL = {"other_subject": "Well done", "other_body": "Go on like that."}
ABOVE_FOUR = {"metric": "total visits", "threshold": "4", "more_or_less": "more", "date": "October 12"}
BUSY_MORNING = [event(1, DOV, "2024-10-18 09:00:00", 120), event(2, DOV, "2024-10-18 11:15:00", 30)]


@pytest.mark.parametrize(("contact", "meetings"), [("2024-10-02", 1), ("2024-10-03", 0)])
def test_a_customer_is_quiet_after_more_than_14_days(tmp_path: Path, contact: str, meetings: int) -> None:
    there = Office(tmp_path, customers=[customer(1, BEA, contact, name="Eve Fox")], calendar=BUSY_MORNING)
    actions = there.answer("M1", customer="Eve Fox")
    assert len(actions) == meetings
    for action in actions:
        assert action.arguments == {
            "event_name": "Update on Eve Fox",
            "participant_email": BEA,
            "event_start": "2024-10-18 11:45:00",
            "duration": "30",
        }


def test_the_lead_goes_to_the_fewest_overdue_tasks_but_not_to_none(tmp_path: Path) -> None:
    there = Office(
        tmp_path,
        tasks=[
            task(1, ADA, "Completed", "2023-12-20"),
            task(2, CEM, "Backlog", "2023-12-31"),
            task(3, BEA, "In Review", "2024-10-16"),
            task(4, DOV, "Backlog", "2024-10-16"),
            task(5, DOV, "Backlog", "2024-09-16"),
            task(6, BEA, "Backlog", "2024-10-17"),
        ],
    )
    (action,) = there.answer("M2", customer="Eve Fox")
    assert action.arguments["assigned_to_email"] == BEA


@given(st.dates(date(2020, 1, 1), date(2030, 12, 31)), st.integers(-365, 365))
def test_the_days_before_a_day(today: date, shift: int) -> None:
    day = today + timedelta(days=shift)
    if day.year >= today.year - 1:
        assert bool(re.search(days_before(today), day.isoformat())) == (day < today)


def test_a_meeting_with_the_sender_of_the_mail_of_that_day(tmp_path: Path) -> None:
    there = Office(tmp_path, email=[mail(1, ADA, "2024-10-08 09:00:00"), mail(2, BEA, "2024-10-09 09:00:00")])
    slots = {"subject": "News", "email_date": "October 8", "event_date": "October 21"}
    (action,) = there.answer("M3", **slots, time="3:30 pm", length="1.5-hour", how_long="1.5 hours")
    assert list(action.arguments.values()) == ["News", ADA, "2024-10-21 15:30:00", "90"]


@pytest.mark.parametrize(("sent", "meetings"), [("2024-10-14 23:59:59", 1), ("2024-10-15 00:00:00", 0)])
def test_silence_is_counted_from_the_clock(tmp_path: Path, sent: str, meetings: int) -> None:
    there = Office(tmp_path, email=[mail(1, ADA, sent)])
    actions = there.answer("M5", name="Ada", days="2", weekday="Monday", time="11 am")
    assert [action.arguments["event_start"] for action in actions] == ["2024-10-21 11:00:00"] * meetings


@pytest.mark.parametrize(("start", "mails"), [("2024-10-14 15:30:00", 1), ("2024-10-15 09:00:00", 0)])
def test_a_meeting_on_the_first_of_the_past_days_counts(tmp_path: Path, start: str, mails: int) -> None:
    there = Office(tmp_path, calendar=[event(1, ADA, start)])
    assert len(there.answer("M6", name="Ada", days="2", **MAIL)) == mails


@pytest.mark.parametrize(("start", "mails"), [("2024-10-20 09:00:00", 1), ("2024-10-19 15:30:00", 0)])
def test_a_meeting_on_the_last_of_the_coming_days_counts(tmp_path: Path, start: str, mails: int) -> None:
    there = Office(tmp_path, calendar=[event(1, ADA, start)])
    assert len(there.answer("M7", name="Ada", days="2", **MAIL)) == mails


def test_overdue_tasks_lead_to_a_meeting_and_a_mail_else_to_praise(tmp_path: Path) -> None:
    there = Office(
        tmp_path,
        tasks=[task(1, ADA, "In Progress", "2024-10-16"), task(2, BEA, "Completed", "2024-10-16")],
        calendar=BUSY_MORNING,
    )
    slots = {**MAIL, **OTHER_MAIL, "event_name": "Late"}
    meeting, warning = there.answer("M16", name="Ada", **slots)
    assert meeting.arguments["event_start"] == "2024-10-18 11:45:00"
    assert warning.arguments == {"recipient": ADA, **MAIL}
    (praise,) = there.answer("M16", name="Bea", **slots)
    assert praise.arguments["subject"] == "Well done"


def test_the_task_goes_to_whoever_completed_most_the_first_in_a_tie(tmp_path: Path) -> None:
    there = Office(
        tmp_path,
        analytics=visits(oct12=5),
        tasks=[
            task(1, CEM, "Completed", "2024-10-14"),
            task(2, BEA, "Completed", "2024-10-14"),
            task(3, ADA, "Completed", "2024-10-14", board="Design"),
        ],
    )
    (action,) = there.answer("M13", **ABOVE_FOUR)
    assert action.arguments == {
        "task_name": "Improve total visits",
        "board": "Front end",
        "assigned_to_email": BEA,
        "due_date": "2024-10-25",
        "list_name": "Backlog",
    }


@pytest.mark.parametrize(("count", "deleted"), [(5, 7), (4, 0)])
def test_leads_are_deleted_only_if_the_figure_passed_the_value(
    tmp_path: Path, count: int, deleted: int
) -> None:
    leads = [customer(n, ADA, "2024-10-01") for n in range(7)]
    others = [customer(8, ADA, "2024-10-01", "Won"), customer(9, BEA, "2024-10-01")]
    there = Office(tmp_path, analytics=visits(oct11=9, oct12=count), customers=[*leads, *others])
    *deletions, written = there.answer("M19", assignee="Ada", **ABOVE_FOUR, **MAIL, other_body="Go on.")
    assert len(deletions) == deleted
    assert written.arguments["body"] == (MAIL["body"] if deleted else "Go on.")


def test_without_a_need_for_a_task_the_leads_change_hands(tmp_path: Path) -> None:
    there = Office(
        tmp_path, analytics=visits(oct13=2), customers=[customer(n, ADA, "2024-10-01") for n in range(6)]
    )
    *changes, written = there.answer("M21", name="Bea", assignee="Ada", **ABOVE_FOUR, **MAIL)
    assert [change.arguments["new_value"] for change in changes] == [BEA] * 6
    assert written.arguments == {"recipient": BEA, **MAIL}


@pytest.mark.parametrize(("engaged", "actions"), [(5, 2), (3, 0), (2, 0)])
def test_growth_must_be_higher_not_just_as_high(tmp_path: Path, engaged: int, actions: int) -> None:
    def day(name: str, count: int, engaged: int) -> list[Row]:
        return [(name, f"{n:04}", "2", "20", "direct", str(n < engaged)) for n in range(count)]

    # Total visits grow by 50 %, engaged users by 150 %, by 50 % or not at all.
    there = Office(
        tmp_path,
        analytics=[*day("2024-10-14", 4, 2), *day("2024-10-16", 6, engaged)],
        tasks=[task(1, ADA, "Backlog", "2024-10-20")],
    )
    slots = {"metric": "engaged users", "metric_2": "total visits", "weekday": "Monday", "name": "Ada"}
    assert len(there.answer("M18", **slots)) == actions
