"""What is not asked: where the truth hangs on luck, or on what happens after the question."""

from __future__ import annotations

import pytest

from tests.evals.kinds.crm.handmade import Handmade, question
from tests.tables import each_row
from worksmith.evals.kinds.crm.families import agents
from worksmith.evals.kinds.crm.families.steps import leader, narrow
from worksmith.evals.kinds.crm.questions.family import Doubt


@pytest.mark.parametrize(
    ("today", "doubt"), [("2021-04-02", Doubt("cases still in work")), ("2021-04-03", None)]
)
def test_what_happened_to_the_cases_is_known_when_it_is_asked(today: str, doubt: Doubt | None) -> None:
    found = Handmade()
    found.case("2021-03-02T10:00", "Ann", moved=("Cid", "2021-04-02T10:20"))
    found.case("2021-03-03T10:00", "Ann")
    assert agents.doubt(found.org, question("March 2021", today, n="1")) == doubt


def test_where_nobody_qualifies_somebody_comes_close() -> None:
    found = Handmade()
    found.case("2021-03-20T10:00", "Ann")
    assert agents.doubt(found.org, question("March 2021", n="1")) is None
    assert agents.doubt(found.org, question("March 2021", n="2")) == Doubt("nobody near")
    assert agents.doubt(found.org, question("April 2021", n="0")) is None
    assert agents.doubt(found.org, question("May 2021", n="0")) == Doubt("nothing near")


@each_row(
    ("values", "extreme", "doubt"),
    [
        ({}, "max", None),
        ({"a": 1.0}, "max", Doubt("only one to choose from")),
        ({"a": 100.0, "b": 104.0, "c": 1.0}, "max", Doubt("too close")),
        ({"a": 100.0, "b": 106.0, "c": 105.9}, "min", None),
        ({"a": 100.0, "b": 106.0, "c": 105.9}, "max", Doubt("too close")),
    ],
)
def test_the_first_is_well_ahead(values: dict[str, float], extreme: str, doubt: Doubt | None) -> None:
    assert narrow(values, extreme, 1.05) == doubt


def test_a_tie_has_no_answer_that_is_beyond_doubt() -> None:
    assert leader({"a": 2, "b": 2}, "max", "user_id") == Doubt("tie")
