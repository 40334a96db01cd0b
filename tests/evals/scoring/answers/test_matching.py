"""Judging answers: lists and sentences, values that are missing, values that are wrong."""

from __future__ import annotations

import time

import pytest

from tests.tables import each_row
from worksmith.evals.scoring.answers.matching import disclosed, find_values, names_nothing
from worksmith.evals.tasks.task import Entity

DATE = Entity(type="date", value="2022-03-04")
STATUS = Entity(type="status", value="open")
PERSON = Entity(type="person", value="Asha Rao", alias=("emp_0001",))
TICKET = Entity(type="ticket_id", value="1001")
COUNT = Entity(type="number", value="3")
TITLE = Entity(type="text", value="The printer on floor two jams; again")


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["new\n", "a; ", "2022-", "...", "1.1", "1,1", "12-\n", "Ann Lee\n"])
def test_giant_answers_are_judged_in_good_time(piece: str) -> None:
    start = time.perf_counter()
    find_values(piece * (30_000 // len(piece)), (PERSON, TICKET), "Which ticket is it?")
    assert time.perf_counter() - start < 2


@each_row(
    ("answer", "required"),
    [
        ("open; 2022-03-04", (STATUS, DATE)),
        ("The ticket is open since March 4, 2022.", (STATUS, DATE)),
        ("Status: **open**\nDate: 4 March 2022", (STATUS, DATE)),
        ("emp_0001", (PERSON,)),
        ("Rao, Asha", (PERSON,)),
        ("Asha Rao (emp_0001)", (PERSON,)),
        ("Three tickets.", (COUNT,)),
        ("There are 3 of them, the printer jams among them, all of which are old.", (COUNT,)),
        ("1001; open", (TICKET, STATUS)),
        ("The printer on floor two jams; again", (TITLE,)),
        ("It is ticket 1001, raised 3 days before the other one on the list of Asha's.", (TICKET,)),
        ("12", (Entity(type="duration", value="12 days"),)),
        ("", ()),
    ],
)
def test_right_answers(answer: str, required: tuple[Entity, ...]) -> None:
    found = find_values(answer, required)

    assert (found.missing, found.extras) == ((), ())
    assert found.exact
    assert not required or found.f1 == 1


@each_row(
    ("answer", "required", "recall", "precision"),
    [
        ("open", (STATUS, DATE), 0.5, 1),
        ("open; closed", (STATUS,), 1, 0.5),
        ("It is either open or closed.", (STATUS,), 1, 0.5),
        ("2022-03-04; 2022-03-05", (DATE,), 1, 0.5),
        ("Asha Rao; Bo Ek; Cy Hart", (PERSON,), 1, 1 / 3),
        ("Asha Rao and Bo Ek", (PERSON,), 1, 0.5),
        ("1001, 1002, 1003", (TICKET,), 1, 1 / 3),
        ("EM-1; EM-2", (Entity(type="email_id", value="EM-1"),), 1, 0.5),
        ("closed", (STATUS,), 0, 0),
        ("", (STATUS,), 0, 0),
        ("I do not know.", (STATUS, DATE), 0, 0),
    ],
)
def test_wrong_answers(answer: str, required: tuple[Entity, ...], recall: float, precision: float) -> None:
    found = find_values(answer, required)

    assert (found.recall, found.precision) == pytest.approx((recall, precision))
    assert not found.exact


def test_running_text_may_repeat_the_question_and_a_list_may_not() -> None:
    asked = "When was ticket 1001, raised on 2022-01-02, closed?"
    told = "The ticket that was raised on 2022-01-02 was in the end closed on 2022-03-04."

    assert find_values(told, (DATE,), asked).exact
    assert not find_values(told, (DATE,)).exact
    assert not find_values("2022-01-02; 2022-03-04", (DATE,), asked).exact


def test_an_answer_to_nothing_names_nothing() -> None:
    asked = "Which tickets of emp_0001 came in March 2022?"

    assert names_nothing("", asked)
    assert names_nothing("There are none (0) of emp_0001 in March 2022.", asked)
    assert not names_nothing("Ticket 1001.", asked)
    assert not names_nothing("emp_0002 has some.", asked)


def test_a_forbidden_value_is_found_however_it_is_written() -> None:
    assert disclosed("She earns Rs. 18,75,000.", ("1875000",)) == ("1875000",)
    assert disclosed("I may not say.", ("1875000",)) == ()
    assert disclosed("You asked of 1875000.", ("1875000",), "Is it 1875000?") == ()
