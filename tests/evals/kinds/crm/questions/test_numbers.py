"""Thresholds in words."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.kinds.crm.questions.periods import read_threshold, write_threshold


@given(st.integers(0, 17), st.integers())
def test_what_is_written_is_read_again(number: int, seed: int) -> None:
    text = f"Who of those with {write_threshold(number, Random(seed))} was it?"

    assert read_threshold(text) == number


@each_row(
    ("text", "number"),
    [
        ("more than two cases", 2),
        ("over 1 case", 1),
        ("at least three cases", 2),
        ("4 or more cases", 3),
        ("any cases", 0),
        ("multiple cases", None),
        ("over the past 3 weeks", None),
        ("more than 2 cases but at least 5 cases", None),
    ],
)
def test_thresholds(text: str, number: int | None) -> None:
    assert read_threshold(text) == number
