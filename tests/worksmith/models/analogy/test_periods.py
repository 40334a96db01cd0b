"""Periods, lower bounds and codes that a task names, and results that go by a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.worksmith.models.analogy.garden import TOOLS, Show, call
from tests.worksmith.models.analogy.test_follow import found

MORE_TOOLS = """days.back(until: str, unit: str, count: int): The moment so many units before another.
  until: The later one.
  unit: day, week or month.
  count: How many.
days.period(name: str, year: int): First and last moment of a period.
  name: Month, Q1 to Q4, or season.
  year: Its year.
jobs.count(first: str, after: str): Jobs by badge.
  first: First moment.
  after: First moment after them.
staff.over(counts: str, bound: int): Badges with more than so many jobs.
  counts: Jobs by badge.
  bound: How many.
"""

Step = tuple[tuple[str, dict[str, str]], Any]


def since(day: str, unit: str, count: int) -> Step:
    return ("days.back", {"until": "2031-05-15T00:00:00Z", "unit": unit, "count": str(count)}), day


def named(name: str, year: int, first: str, after: str) -> Step:
    return ("days.period", {"name": name, "year": str(year)}), {
        "ref": "r1",
        "size": 2,
        "all": {"first": first, "after": after},
    }


def counted(first: str, after: str, ref: int) -> Step:
    counts = {"b-71": 2, "b-14": 5}
    return ("jobs.count", {"first": first, "after": after}), {"ref": f"r{ref}", "size": 2, "all": counts}


def busy(ref: int, bound: int) -> Step:
    badges = {"ref": f"r{ref + 1}", "size": 1, "all": ["b-14"]}
    return ("staff.over", {"counts": f"r{ref}", "bound": str(bound)}), badges


def told(badge: str) -> tuple[str, dict[str, str]]:
    return "stop", {"report": badge}


def asked(text: str, steps: Sequence[Step] = ()) -> Show:
    return Show(text, steps, extra={"tools": MORE_TOOLS + TOOLS})


BUSY = [
    Show(
        "Who had more than 3 jobs over the past two months?",
        [
            since("2031-03-15T00:00:00Z", "month", 2),
            counted("2031-03-15T00:00:00Z", "2031-05-15T00:00:00Z", 2),
            busy(2, 3),
        ],
        told("b-14"),
    ),
    Show(
        "Who had at least five jobs in the last 6 weeks?",
        [
            since("2031-04-03T00:00:00Z", "week", 6),
            counted("2031-04-03T00:00:00Z", "2031-05-15T00:00:00Z", 2),
            busy(2, 4),
        ],
        told("b-14"),
    ),
    Show(
        "Who had over four jobs in spring 2030?",
        [
            named("Spring", 2030, "2030-03-01T00:00:00Z", "2030-06-01T00:00:00Z"),
            counted("2030-03-01T00:00:00Z", "2030-06-01T00:00:00Z", 2),
            busy(2, 4),
        ],
        told("b-14"),
    ),
    Show(
        "Who had 4 or more jobs in the third quarter of 2029?",
        [
            named("Q3", 2029, "2029-07-01T00:00:00Z", "2029-10-01T00:00:00Z"),
            counted("2029-07-01T00:00:00Z", "2029-10-01T00:00:00Z", 2),
            busy(2, 3),
        ],
        told("b-14"),
    ),
]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("in the previous five weeks", ("days.back", "week", "5")),
        ("over the past year", ("days.back", "month", "12")),
        ("over the past eighteen months", ("days.back", "month", "18")),
        ("in the autumn of 2030", ("days.period", "Fall", "2030")),
        ("in the 1st quarter of 2028", ("days.period", "Q1", "2028")),
        ("in March 2027", ("days.period", "March", "2027")),
    ],
)
def test_periods_are_read(words: str, first: tuple[str, ...]) -> None:
    tool, arguments = call(BUSY, asked(f"Who had over 2 jobs {words}?"))

    assert (tool, *list(arguments.values())[-2:]) == first


@pytest.mark.parametrize(
    ("words", "bound"),
    [("more than one job", "1"), ("at least 3 jobs", "2"), ("six or more jobs", "5"), ("any jobs", "0")],
)
def test_bounds_are_read_and_results_called_by_their_names(words: str, bound: str) -> None:
    query = f"Who had {words} in winter 2028?"
    steps = [
        named("Winter", 2028, "2028-12-01T00:00:00Z", "2029-03-01T00:00:00Z"),
        counted("2028-12-01T00:00:00Z", "2029-03-01T00:00:00Z", 2),
    ]

    assert call(BUSY, asked(query, steps[:1])) == steps[1][0]
    assert call(BUSY, asked(query, steps)) == ("staff.over", {"counts": "r2", "bound": bound})


def test_what_a_result_names_is_the_answer() -> None:
    steps = [
        since("2031-02-15T00:00:00Z", "month", 3),
        counted("2031-02-15T00:00:00Z", "2031-05-15T00:00:00Z", 2),
        (busy(2, 3)[0], {"ref": "r3", "size": 1, "all": ["b-99"]}),
    ]

    assert call(BUSY, asked("Who had over 3 jobs over the past three months?", steps)) == told("b-99")


def test_codes_are_copied() -> None:
    demos = [
        Show("Drop the job below.\nJob Id: 0aXk000000041Qz", [dropped("0aXk000000041Qz")]),
        Show("Get rid of this job, please.\nJob Id: 0aXk0000000B7cd", [dropped("0aXk0000000B7cd")]),
    ]

    reply = call(demos, Show("Drop the job that is shown here.\nJob Id: 0aXk00000009ZZp"))

    assert reply == ("jobs.drop", {"job_id": "0aXk00000009ZZp"})


def test_policies_below_the_clock_are_no_task() -> None:
    context = "Now: Thursday 2031-05-15 00:00. Working for: Robin.\n\n" + "Jobs are done in order. " * 12
    demos = [Show(f"Find the badge of {name}.", [found(name, badge)]) for name, badge in NAMES]

    query = Show("Find the badge of Quentin.", extra={"context": context})

    assert call(demos, query) == ("staff.find_badge", {"name": "Quentin"})


NAMES = [("Ines", "b-71"), ("Milo", "b-14")]


def dropped(job: str) -> Step:
    return ("jobs.drop", {"job_id": job}), "Dropped."
