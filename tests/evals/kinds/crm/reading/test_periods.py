from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row, tables_of
from worksmith.evals.kinds.crm.reading.periods import periods

TABLES = tables_of(__file__)

TODAY = date(2023, 5, 31)


def only(text: str) -> tuple[str, str] | None:
    """First day and first day after, of the only period in a text; None if there is none."""
    found = [each for _, each in periods(text.lower(), TODAY)]
    assert len({(each.start, each.end) for each in found}) <= 1
    return (str(found[0].start), str(found[0].end)) if found else None


@each_row(
    ("text", "start"),
    TABLES["periods_that_are_counted_back"],
)
def test_periods_that_are_counted_back(text: str, start: str) -> None:
    assert only(f"which agent {text} was quickest?") == (start, "2023-05-31")


@each_row(
    ("text", "start", "end"),
    TABLES["periods_of_the_calendar"],
)
def test_periods_of_the_calendar(text: str, start: str, end: str) -> None:
    assert only(f"which agent was quickest {text}, of those with cases?") == (start, end)


@each_row(
    "text",
    [
        "which agent may be quickest",
        "in the past",
        "after the fall",
        "in early 2021",
        "late in the third quarter",
        "over the past 1.5 months",
        "in the past few weeks",
        "in the last 0 weeks",
        "over the past 9999 years",
        "from March 31st to February 30th, 2021",
    ],
)
def test_what_is_no_period(text: str) -> None:
    assert only(text) is None


def test_several_periods_are_all_found() -> None:
    found = {each.text for _, each in periods("over the past 3 weeks and in q2 2021", TODAY)}
    assert found == {"3 weeks", "Q2 2021"}


def test_without_a_day_there_are_no_dates() -> None:
    ((_, period),) = periods("over the past 3 weeks", None)
    assert (period.text, period.start, period.end, period.relative) == ("3 weeks", None, None, True)
    assert list(periods("last summer", None)) == []


@given(st.text(alphabet=st.sampled_from("0123456789 -/.'qhpastlweknmoruyf½"), max_size=60), st.dates())
def test_anything_may_be_read(text: str, today: date) -> None:
    for (start, end), period in periods(text, today):
        assert 0 <= start < end <= len(text)
        assert period.start is None or period.end is None or period.start < period.end
