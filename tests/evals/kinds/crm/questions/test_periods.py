"""Periods: their days, and that what is written is read again."""

from __future__ import annotations

from datetime import date, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.kinds.crm.questions.periods import (
    QUARTERS,
    SEASONS,
    Period,
    Window,
    write_period,
    write_threshold,
)
from worksmith.evals.kinds.crm.reading.recognise import recognise
from worksmith.tools.kinds.crm.moments import MONTHS

PERIODS = st.one_of(
    st.builds(
        Period, count=st.integers(1, 18), unit=st.sampled_from(["day", "week", "month", "quarter", "year"])
    ),
    st.builds(Period, name=st.sampled_from([*MONTHS, *QUARTERS, *SEASONS]), year=st.integers(2000, 2030)),
)


@given(PERIODS, st.integers(0, 17), st.integers(), st.sampled_from(["{}, who was it?", "Who was it {}?"]))
def test_what_is_written_is_read_again(period: Period, number: int, seed: int, sentence: str) -> None:
    words = f"{write_period(period, Random(seed))}, of those with {write_threshold(number, Random(seed))}"
    slots = recognise(sentence.format(words), "handle_time").slots
    assert (slots["period"], slots["n"]) == (period.text, str(number))


@given(PERIODS)
def test_a_slot_spells_one_period(period: Period) -> None:
    assert Period.of(period.text) == period


@each_row("text", ["", "soon", "5", "5 moons", "Q5 2021", "March", "Q3 twenty"])
def test_what_is_no_period(text: str) -> None:
    with pytest.raises(ValueError, match="no period"):
        Period.of(text)


@each_row(
    ("text", "today", "start", "end"),
    [
        ("3 weeks", "2021-03-10", "2021-02-17", "2021-03-10"),
        ("14 days", "2021-03-10", "2021-02-24", "2021-03-10"),
        ("1 months", "2021-03-31", "2021-02-28", "2021-03-31"),
        ("1 months", "2020-03-31", "2020-02-29", "2020-03-31"),
        ("2 quarters", "2021-03-10", "2020-09-10", "2021-03-10"),
        ("1 years", "2024-02-29", "2023-02-28", "2024-02-29"),
        ("February 2024", "2024-05-01", "2024-02-01", "2024-03-01"),
        ("December 2020", "2024-05-01", "2020-12-01", "2021-01-01"),
        ("Q4 2020", "2024-05-01", "2020-10-01", "2021-01-01"),
        ("Winter 2020", "2024-05-01", "2020-12-01", "2021-03-01"),
        ("Fall 2021", "2024-05-01", "2021-09-01", "2021-12-01"),
    ],
)
def test_the_days_of_a_period(text: str, today: str, start: str, end: str) -> None:
    expected = Window(datetime.fromisoformat(start), datetime.fromisoformat(end))

    assert Period.of(text).window(date.fromisoformat(today)) == expected
