from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.scoring.answers.words import normalised, token_f1


@each_row(
    ("answer", "reference", "f1"),
    [
        ("The refund, within 30 days!", "refund within 30 days", 1),
        ("30 days", "within 30 days", 0.8),
        ("a a b", "a b b", 2 / 3),
        ("b b c", "b c c", 2 / 3),
        ("", "within 30 days", 0),
        ("no", "within 30 days", 0),
        ("store-credit", "store credit", 1),
    ],
)
def test_words_are_compared_as_published(answer: str, reference: str, f1: float) -> None:
    assert token_f1(answer, reference) == pytest.approx(f1)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_score_of_words_has_no_direction(one: str, other: str) -> None:
    assert token_f1(one, other) == token_f1(other, one)
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, one) == 1
    assert normalised(" ".join(normalised(one))) == normalised(one)
