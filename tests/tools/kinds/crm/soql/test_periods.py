from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.kinds.crm.soql.literals import is_counted_period, is_period, period

TODAY = date(2022, 3, 16)  # a Wednesday
DAYS = {
    ("TODAY", None): ("2022-03-16", "2022-03-17"),
    ("YESTERDAY", None): ("2022-03-15", "2022-03-16"),
    ("TOMORROW", None): ("2022-03-17", "2022-03-18"),
    ("THIS_WEEK", None): ("2022-03-13", "2022-03-20"),
    ("LAST_WEEK", None): ("2022-03-06", "2022-03-13"),
    ("NEXT_WEEK", None): ("2022-03-20", "2022-03-27"),
    ("THIS_MONTH", None): ("2022-03-01", "2022-04-01"),
    ("LAST_MONTH", None): ("2022-02-01", "2022-03-01"),
    ("THIS_QUARTER", None): ("2022-01-01", "2022-04-01"),
    ("LAST_QUARTER", None): ("2021-10-01", "2022-01-01"),
    ("NEXT_FISCAL_QUARTER", None): ("2022-04-01", "2022-07-01"),
    ("LAST_YEAR", None): ("2021-01-01", "2022-01-01"),
    ("THIS_FISCAL_YEAR", None): ("2022-01-01", "2023-01-01"),
    ("LAST_90_DAYS", None): ("2021-12-16", "2022-03-17"),
    ("NEXT_90_DAYS", None): ("2022-03-17", "2022-06-15"),
    ("LAST_N_DAYS", 30): ("2022-02-14", "2022-03-17"),
    ("NEXT_N_DAYS", 3): ("2022-03-17", "2022-03-20"),
    ("LAST_N_WEEKS", 2): ("2022-02-27", "2022-03-13"),
    ("LAST_N_MONTHS", 3): ("2021-12-01", "2022-03-01"),
    ("NEXT_N_MONTHS", 1): ("2022-04-01", "2022-05-01"),
    ("LAST_N_QUARTERS", 1): ("2021-10-01", "2022-01-01"),
    ("LAST_N_FISCAL_YEARS", 2): ("2020-01-01", "2022-01-01"),
    ("N_DAYS_AGO", 15): ("2022-03-01", "2022-03-02"),
    ("N_WEEKS_AGO", 1): ("2022-03-06", "2022-03-13"),
    ("N_MONTHS_AGO", 13): ("2021-02-01", "2021-03-01"),
    ("N_QUARTERS_AGO", 1): ("2021-10-01", "2022-01-01"),
    ("N_YEARS_AGO", 1): ("2021-01-01", "2022-01-01"),
}


@each_row(("literal", "expected"), DAYS.items())
def test_date_literals_name_calendar_days(literal: tuple[str, int | None], expected: tuple[str, str]) -> None:
    name, count = literal
    assert (is_period(name), is_counted_period(name)) == (count is None, count is not None)
    first, after = period(name, count, TODAY, 0)
    assert (first.isoformat(), after.isoformat()) == expected


@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)))
def test_weeks_begin_on_sunday_and_hold_today(today: date) -> None:
    first, after = period("THIS_WEEK", None, today, 0)
    assert first.isoweekday() == 7
    assert (after - first).days == 7
    assert first <= today < after


@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.sampled_from(["WEEK", "MONTH", "QUARTER", "YEAR"]))
def test_units_follow_each_other_without_a_gap(today: date, unit: str) -> None:
    last, this, following = (period(f"{which}_{unit}", None, today, 0) for which in ("LAST", "THIS", "NEXT"))
    assert last[1] == this[0]
    assert this[1] == following[0]
    assert period(f"LAST_N_{unit}S", 1, today, 0) == last


@each_row("name", ["LAST_DAY", "LAST_80_DAYS", "THIS_N_DAYS", "LAST_DAYS", "N_DAYS", "TODAYS", ""])
def test_what_is_no_date_literal(name: str) -> None:
    assert not is_period(name)
    assert not is_counted_period(name)
