"""What is thought about agents who managed more than so many cases."""

from __future__ import annotations

from datetime import date

import pytest

from worksmith.evals.kinds.crm.families.agents import cases_named
from worksmith.evals.kinds.crm.questions.family import Question


@pytest.mark.parametrize(
    ("least", "words"), [("0", "any cases"), ("1", "more than 1 case"), ("3", "more than 3 cases")]
)
def test_cases_are_counted_as_people_count(least: str, words: str) -> None:
    assert cases_named(Question(slots={"n": least}, today=date(2024, 6, 1), answer=None, stratum="")) == words
