"""Rewriting task texts: what is taken and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from worksmith.evals.authoring.rewriting.writer import objections, rewrite, write
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.tools.persona import Persona

ASHA = Persona(id="emp_0007", name="Asha Rao", department="SA", level=10)
TASK = Task(
    id="sales.invoice.test.001",
    query="Invoice Pai Stores: total and date.",
    domains=("orders",),
    persona=ASHA,
    slots={"customer": "Pai Stores", "hidden": "never said"},
    gold_plan=(Step(tool="orders.read", arguments={"customer_name": "Pai Stores"}, why="I look it up."),),
    answer=Answer(
        kind="entities",
        required=(Entity(type="amount", value="29696"), Entity(type="date", value="2022-12-18")),
    ),
)
GOOD = "Could you tell me the total and the date on the invoice of Pai Stores?"


def model(*tasks: str, verdicts: str = "YES YES YES YES YES YES YES") -> Any:
    """A model that proposes these texts one after the other."""
    proposed = iter(tasks)

    def ask(stage: str, _inputs: Mapping[str, str]) -> dict[str, str]:
        if stage in ("task", "repair"):
            return {"task": next(proposed)}
        return {"entities": "{}", "subgoals": "", "templates": "", "verdicts": verdicts}

    return ask


def test_a_text_that_says_the_same_is_fine() -> None:
    assert objections(TASK, GOOD) == []


@each_row(
    "text",
    [
        "",
        "Could you tell me the total and the date on that invoice?",  # the slot is lost
        "Is the total on the invoice of Pai Stores 29,696, and what is my date?",  # tells the answer
        "Is the invoice of Pai Stores I sent on 18 December 2022 paid, and its total?",
        "Could you tell me the total on the invoice of Pai Stores of 2021?",  # a new number
        "Could you tell me what Ravi Sen wrote on the invoice of Pai Stores for me?",  # a new name
        "Please ask ravi@example.com for my invoice of Pai Stores.",
        "Tell everybody total and date of the invoice of Pai Stores.",  # nobody speaks
        "Use orders.read to find me total and date for Pai Stores.",
        GOOD * 6,
    ],
)
def test_a_text_that_says_something_else_is_not(text: str) -> None:
    assert objections(TASK, text)


def test_what_holds_is_taken() -> None:
    new = write(TASK, model(GOOD))
    assert new.query == GOOD
    assert new.model_copy(update={"query": TASK.query, "phrasing": TASK.phrasing}) == TASK


def test_what_does_not_hold_is_repaired_and_else_given_up() -> None:
    assert write(TASK, model("I ask about an invoice.", GOOD)).query == GOOD
    kept = write(TASK, model("I ask about an invoice.", "I ask again.", "I give up."))
    assert kept.query == TASK.query
    assert "Pai Stores" in kept.origin["kept"]


def test_the_model_may_refuse_its_own_text() -> None:
    kept = write(TASK, model(GOOD, GOOD, GOOD, verdicts="YES YES NO YES YES YES YES"))
    assert kept.query == TASK.query
    assert "context" in kept.origin["kept"]


def test_unreadable_verdicts_are_no_yes() -> None:
    kept = write(TASK, model(GOOD, verdicts="all fine"))
    assert kept.query == TASK.query
    assert "unreadable" in kept.origin["kept"]


@pytest.mark.slow
def test_replies_are_kept_and_twins_stay_twins(tmp_path: Path) -> None:
    from dspy.utils import DummyLM

    denied = TASK.model_copy(update={"id": "a", "type": "unanswerable", "twin": "a.twin"})
    twin = TASK.model_copy(update={"id": "a.twin", "split": "paired", "twin": "a"})
    replies = [
        {"entities": "{}"},
        {"subgoals": "find it"},
        {"templates": "what is <customer>?"},
        {"task": GOOD},
        {"verdicts": "YES YES YES YES YES YES YES"},
    ]
    first = rewrite([denied, twin], DummyLM(replies), tmp_path, workers=1)
    assert [task.query for task in first] == [GOOD, GOOD]
    again = rewrite([denied, twin], DummyLM([]), tmp_path, workers=1)
    assert [task.query for task in again] == [GOOD, GOOD]
    assert first[0].origin["writer"]
