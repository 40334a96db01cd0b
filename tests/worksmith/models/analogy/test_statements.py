"""Statements of a query language: their values are filled in, and what they return is worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.worksmith.models.analogy.garden import Show, call
from worksmith.models.analogy.reading.statements import entries, read_form

Step = tuple[tuple[str, dict[str, str]], Any]
Row = Mapping[str, Any]

TOOLS = """ask.query(query: str): Run a query.
  query: The query.
stop(report: str): End the task."""
BADGES = ["b1000071", "b1000014", "b1000002", "b1000088"]
TEAM = [BADGES[0], BADGES[1], BADGES[3]]
SHUFFLED = [BADGES[1], BADGES[3], BADGES[2]]


def asked(text: str, *steps: Step) -> Show:
    return Show(text, steps, extra={"tools": TOOLS})


def told(report: str) -> tuple[str, dict[str, str]]:
    return "stop", {"report": report}


def queried(query: str, *rows: Row) -> Step:
    return ("ask.query", {"query": query}), {"total": len(rows), "records": list(rows)}


def staff(bed: str, *badges: str) -> Step:
    return queried(f"SELECT Badge FROM Staff WHERE Bed = '{bed}'", *({"Badge": badge} for badge in badges))


def times(badges: Sequence[str], start: str, end: str, *rows: tuple[str, str, str]) -> Step:
    listed = ", ".join(f"'{badge}'" for badge in badges)
    window = f"Begun >= {start} AND Begun < {end}"
    query = f"SELECT Badge, Begun, Done FROM Jobs WHERE Badge IN ({listed}) AND {window}"
    return queried(query, *({"Badge": badge, "Begun": begun, "Done": done} for badge, begun, done in rows))


def job(badge: str, day: str, hours: int) -> tuple[str, str, str]:
    return badge, f"{day}T06:00:00.000+0000", f"{day}T{6 + hours:02}:00:00.000+0000"


SPEED = [
    Show(
        "In spring 2030, which gardener of bed1000007 was fastest on average?",
        [
            staff("bed1000007", *TEAM),
            times(
                TEAM,
                "2030-03-01T00:00:00Z",
                "2030-06-01T00:00:00Z",
                job(BADGES[0], "2030-03-04", 1),
                job(BADGES[1], "2030-03-05", 2),
                job(BADGES[1], "2030-03-06", 4),
                job(BADGES[1], "2030-03-08", 3),
                job(BADGES[0], "2030-04-07", 7),
            ),
        ],
        told(BADGES[1]),
    ),
    Show(
        "Over the past two months, which gardener of bed1000009 was slowest on average?",
        [
            staff("bed1000009", *SHUFFLED),
            times(
                SHUFFLED,
                "2031-03-15T00:00:00Z",
                "2031-05-15T00:00:00Z",
                job(BADGES[2], "2031-04-04", 7),
                job(BADGES[3], "2031-04-05", 6),
                job(BADGES[2], "2031-04-06", 1),
                job(BADGES[1], "2031-04-07", 2),
            ),
        ],
        told(BADGES[3]),
    ),
    Show(
        "Over the past two months, which gardener of bed1000011 was fastest on average?",
        [staff("bed1000011")],
    ),
]
SPEED[2] = Show(SPEED[2].task, SPEED[2].steps, told("None"))


def test_values_in_a_statement_are_filled_in() -> None:
    query = "In Q3 2029, which gardener of bed1000031 was slowest on average?"
    steps = [staff("bed1000031", "b1000044", "b1000045", "b1000046")]

    assert call(SPEED, asked(query)) == steps[0][0]
    assert (
        call(SPEED, asked(query, *steps))
        == times(["b1000044", "b1000045", "b1000046"], "2029-07-01T00:00:00Z", "2029-10-01T00:00:00Z")[0]
    )


@pytest.mark.parametrize(("word", "answer"), [("fastest", "b1000044"), ("slowest", "b1000045")])
def test_averages_of_durations_answer_what_is_asked(word: str, answer: str) -> None:
    badges = ["b1000044", "b1000045"]
    rows = [job(badges[0], "2029-07-02", 1), job(badges[1], "2029-07-03", 4), job(badges[0], "2029-07-04", 6)]
    steps = [
        staff("bed1000031", *badges),
        times(badges, "2029-07-01T00:00:00Z", "2029-10-01T00:00:00Z", *rows),
    ]

    query = f"In Q3 2029, which gardener of bed1000031 was {word} on average?"

    assert call(SPEED, asked(query, *steps)) == told(answer)


def test_an_empty_result_is_answered_as_demonstrations_do() -> None:
    query = "In Q3 2029, which gardener of bed1000031 was fastest on average?"

    assert call(SPEED, asked(query, staff("bed1000031"))) == told("None")


def counts(*rows: tuple[str, int]) -> Step:
    return queried(
        "SELECT Year, Month, COUNT(Id) total FROM Jobs GROUP BY Year, Month",
        *({"Year": month[:4], "Month": int(month[5:]), "total": total} for month, total in rows),
    )


def test_months_are_put_together_from_year_and_number() -> None:
    demos = [
        Show(
            "In which month were there most jobs?", [counts(("2030-11", 4), ("2031-02", 9))], told("2031-02")
        ),
        Show("Which month had most jobs?", [counts(("2030-09", 7), ("2030-12", 5))], told("2030-09")),
    ]

    query = asked("Which month had the most jobs?", counts(("2028-12", 1), ("2029-01", 3)))

    assert call(demos, query) == told("2029-01")


def test_only_statements_are_taken_apart() -> None:
    form = read_form(
        "FIND {\"old bed\"} IN ALL FIELDS RETURNING Bed(Id WHERE Size > 2.5 AND Kind IN ('a', 'b'))"
    )

    assert form is not None
    assert form.values == ("old bed", "2.5", "'a', 'b'")
    assert form.with_values(["new", "3", "'c'"]).startswith('FIND {"new"} IN ALL FIELDS RETURNING Bed(')
    assert entries("'a', 'b'") == ("a", "b")
    assert read_form("Dear Ines, the job of 2031-05-15 is DONE.") is None
    assert entries("it's late, isn't it") == ()
