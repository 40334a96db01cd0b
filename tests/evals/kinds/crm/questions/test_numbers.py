"""Thresholds in words."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.kinds.crm.questions.periods import write_threshold
from worksmith.evals.kinds.crm.questions.wording import read


@given(st.integers(0, 17), st.integers())
def test_what_is_written_is_read_again(number: int, seed: int) -> None:
    text = f"Who of those with {write_threshold(number, Random(seed))} was it?"

    assert read(text) == {"n": str(number)}
