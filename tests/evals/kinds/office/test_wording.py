from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.kinds.office.intents import wording

TODAY = date(2024, 10, 17)
DAYS = st.dates(date(2020, 3, 1), date(2035, 3, 1))


@given(DAYS, st.integers(-180, 180))
def test_a_day_near_today_is_read_back(today: date, shift: int) -> None:
    day = today + timedelta(days=shift)
    assert wording.day_of(wording.day_words(day), today) == day
    assert wording.day_of(day.isoformat(), today) == day


def test_the_last_day_of_february_is_read_back() -> None:
    assert wording.day_of("February 29", date(2024, 5, 1)) == date(2024, 2, 29)


@pytest.mark.parametrize("words", ["soon", "October", "2024-13-01", "Octember 3"])
def test_other_words_are_no_day(words: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wording.day_of(words, TODAY)
    assert wording.past_day(words, TODAY) is None


@given(DAYS, st.integers(0, 360))
def test_a_day_that_is_over_is_read_back(today: date, back: int) -> None:
    day = today - timedelta(days=back)
    assert wording.past_day(wording.day_words(day), today) == day
    assert wording.past_day(day.isoformat(), today) == day
    assert wording.past_day("February 29", date(2024, 1, 15)) is None


@given(st.times())
def test_a_time_is_read_back(clock: time) -> None:
    clock = clock.replace(second=0, microsecond=0)
    assert wording.time_of(wording.time_words(clock)) == clock


@pytest.mark.parametrize(
    ("words", "clock"), [("9", time(9)), ("11", time(11)), ("1", time(13)), ("3:30", time(15, 30))]
)
def test_a_time_without_half_of_day_lies_in_office_hours(words: str, clock: time) -> None:
    assert wording.time_of(words) == clock


@given(st.integers(1, 16).map(lambda halves: halves * 30))
def test_a_length_is_read_back_in_both_forms(minutes: int) -> None:
    assert wording.minutes_of(wording.length_words(minutes)) == minutes
    assert wording.minutes_of(wording.length_adjective(minutes)) == minutes


@given(DAYS, st.integers(1, 7))
def test_weekdays_are_read_back(today: date, days: int) -> None:
    ahead, back = today + timedelta(days=days), today - timedelta(days=days)
    assert wording.weekday_ahead(wording.weekday_words(ahead), today) == ahead
    assert wording.weekday_back(wording.weekday_words(back), today) == back


@given(DAYS, st.sampled_from(wording.WEEKDAYS))
def test_a_day_of_next_week_lies_in_next_week(today: date, weekday: str) -> None:
    day = wording.weekday_of_next_week(weekday, today)
    assert wording.weekday_words(day) == weekday
    assert day.isocalendar()[:2] == (today + timedelta(days=7)).isocalendar()[:2]


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda m: m.replace(microsecond=0)))
def test_a_point_in_time_is_written_as_cells_are(moment: datetime) -> None:
    assert datetime.fromisoformat(wording.moment_cell(moment)) == moment
