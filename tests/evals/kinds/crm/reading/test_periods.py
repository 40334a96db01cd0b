from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.kinds.crm.reading.periods import periods

TODAY = date(2023, 5, 31)


def only(text: str) -> tuple[str, str] | None:
    """First day and first day after, of the only period in a text; None if there is none."""
    found = [each for _, each in periods(text.lower(), TODAY)]
    assert len({(each.start, each.end) for each in found}) <= 1
    return (str(found[0].start), str(found[0].end)) if found else None


@each_row(
    ("text", "start"),
    [
        ("over the past 3 months", "2023-02-28"),
        ("in the last three months", "2023-02-28"),
        ("during the previous four weeks", "2023-05-03"),
        ("within the preceding 2 quarters", "2022-11-30"),
        ("over the last twenty-one days", "2023-05-10"),
        ("in the past six (6) months", "2022-11-30"),
        ("for the trailing twelve months", "2022-05-31"),
        ("in the past year", "2022-05-31"),
        ("during the last quarter", "2023-02-28"),
        ("over the past 12-month period", "2022-05-31"),
        ("over the past couple of weeks", "2023-05-17"),
        ("in the past half a year", "2022-11-30"),
        ("in the last half-year", "2022-11-30"),
        ("in the past half a dozen weeks", "2023-04-19"),
        ("over the last year and a half", "2021-11-30"),
        ("over the past one and a half years", "2021-11-30"),
        ("over the past 1.5 years", "2021-11-30"),
        ("in the last 2½ years", "2020-11-30"),
        ("in the past fortnight", "2023-05-17"),
        ("in the past two fortnights", "2023-05-03"),
        ("in the three most recent quarters", "2022-08-31"),
        ("in the 5 preceding weeks", "2023-04-26"),
        ("in the six months leading up to today", "2022-11-30"),
        ("in the four weeks before today", "2023-05-03"),
        ("in the three months to date", "2023-02-28"),
        ("since two months ago", "2023-03-31"),
        ("from 3 weeks ago until now", "2023-05-10"),
        ("in a three-month window ending today", "2023-02-28"),
        ("over a period of 6 weeks", "2023-04-19"),
        ("any of the months in the past 8", "2022-09-30"),
        ("during these last 5 full quarters", "2022-02-28"),
        ("over the past 90 days", "2023-03-02"),
        ("two weeks ago", "2023-05-17"),
        ("a fortnight ago", "2023-05-17"),
        ("14 days back", "2023-05-17"),
        ("one month earlier", "2023-04-30"),
        ("a week prior", "2023-05-24"),
        ("five days before today", "2023-05-26"),
        ("yesterday", "2023-05-30"),
        ("the day before yesterday", "2023-05-29"),
        ("last week", "2023-05-24"),
        ("the week before", "2023-05-24"),
        ("over the past two quarters (6 months back)", "2022-11-30"),
        ("this time last month", "2023-04-30"),
    ],
)
def test_periods_that_are_counted_back(text: str, start: str) -> None:
    assert only(f"which agent {text} was quickest?") == (start, "2023-05-31")


@each_row(
    ("text", "start", "end"),
    [
        ("in Q3 2021", "2021-07-01", "2021-10-01"),
        ("in 2021 Q3", "2021-07-01", "2021-10-01"),
        ("in Q3 of 2021", "2021-07-01", "2021-10-01"),
        ("in Q3, 2021", "2021-07-01", "2021-10-01"),
        ("in Q3'21", "2021-07-01", "2021-10-01"),
        ("in 3Q 2021", "2021-07-01", "2021-10-01"),
        ("in Q3 of the year 2021", "2021-07-01", "2021-10-01"),
        ("in quarter 3 of 2021", "2021-07-01", "2021-10-01"),
        ("in the third quarter of 2021", "2021-07-01", "2021-10-01"),
        ("in 2021's third quarter", "2021-07-01", "2021-10-01"),
        ("in the 3rd quarter of calendar year 2021", "2021-07-01", "2021-10-01"),
        ("in the last quarter of 2021", "2021-10-01", "2022-01-01"),
        ("in the final quarter of 2021", "2021-10-01", "2022-01-01"),
        ("in the second half of 2021", "2021-07-01", "2022-01-01"),
        ("in H1 2021", "2021-01-01", "2021-07-01"),
        ("in the summer of 2021", "2021-06-01", "2021-09-01"),
        ("for the 2021 summer season", "2021-06-01", "2021-09-01"),
        ("during autumn 2020", "2020-09-01", "2020-12-01"),
        ("in winter 2020", "2020-12-01", "2021-03-01"),
        ("in the winter of 2020-2021", "2020-12-01", "2021-03-01"),
        ("in winter 2020/21", "2020-12-01", "2021-03-01"),
        ("in springtime 2022", "2022-03-01", "2022-06-01"),
        ("in May 2021", "2021-05-01", "2021-06-01"),
        ("in May of 2021", "2021-05-01", "2021-06-01"),
        ("in the month of December 2021", "2021-12-01", "2022-01-01"),
        ("in Sept. 2021", "2021-09-01", "2021-10-01"),
        ("in 2021, in the month of March,", "2021-03-01", "2021-04-01"),
        ("in 2021-05", "2021-05-01", "2021-06-01"),
        ("in 05/2021", "2021-05-01", "2021-06-01"),
        ("in 2021", "2021-01-01", "2022-01-01"),
        ("throughout the whole of 2021", "2021-01-01", "2022-01-01"),
        ("from January to March 2021", "2021-01-01", "2021-04-01"),
        ("between November 2020 and February 2021", "2020-11-01", "2021-03-01"),
        ("between November and February 2021", "2020-11-01", "2021-03-01"),
        ("from Q1 through Q2 2021", "2021-01-01", "2021-07-01"),
        ("from 2021-01-01 to 2021-03-31", "2021-01-01", "2021-04-01"),
        ("between 1 January and 31 March 2021", "2021-01-01", "2021-04-01"),
        ("from January 1st, 2021 to March 31st, 2021", "2021-01-01", "2021-04-01"),
        ("since March 2023", "2023-03-01", "2023-05-31"),
        ("in the first quarter of last year", "2022-01-01", "2022-04-01"),
        ("in last year's summer", "2022-06-01", "2022-09-01"),
        ("in the spring of this year", "2023-03-01", "2023-06-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("last November", "2022-11-01", "2022-12-01"),
        ("this quarter", "2023-04-01", "2023-06-01"),
    ],
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
