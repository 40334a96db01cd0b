from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.evals.kinds.crm.orgs import full_suite, small_suite
from tests.evals.kinds.crm.published.agreement import (
    Disagreement,
    compare,
    distance,
    reread,
    share,
    worded,
    wording_of,
)
from worksmith.evals.kinds.crm.importing import distributions
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Answer, Task

FORM = "Answer with the Id."


def ask(text: str, intent: str, slots: dict[str, str], shown: str = "", **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "id": f"{intent}-{len(text)}",
        "query": "\n".join(filter(None, [text, shown, FORM])),
        "domains": ("functions",),
        "intent": intent,
        "slots": slots,
        "now": datetime(2022, 3, 1),
        "answer": Answer(kind="none"),
    }
    return Task(**{**fields, **changes})


SLOW = ask(
    "Who closed cases slowest in the past 5 weeks, with over 2 cases?",
    "handle_time",
    {"period": "5 weeks", "n": "2", "extreme": "max"},
)
ISSUE = ask(
    "What is the main complaint about the Tarn Slip-On in Q1 2021?",
    "top_issue_identification",
    {"period": "Q1 2021", "product_name": "Tarn Slip-On", "product": "01t"},
    "Product Id: 01t",
)


def with_slot(task: Task, name: str, value: str) -> Task:
    return task.model_copy(update={"slots": {**task.slots, name: value}})


def test_wordings_that_say_what_tasks_have() -> None:
    tasks = [SLOW, ISSUE]
    assert wording_of(ISSUE) == "What is the main complaint about the Tarn Slip-On in Q1 2021?"
    assert reread(tasks) == []
    assert share([], tasks) == 1


@pytest.mark.parametrize(
    ("task", "slot", "wanted", "read"),
    [
        (with_slot(SLOW, "period", "5 months"), "period", "5 months", "5 weeks"),
        (with_slot(SLOW, "n", "3"), "n", "3", "2"),
        (with_slot(SLOW, "extreme", "min"), "extreme", "min", "max"),
        (with_slot(ISSUE, "product_name", "Tarn City Mid"), "phrase", "Tarn City Mid", "Tarn Slip-On"),
    ],
)
def test_what_does_not_agree(task: Task, slot: str, wanted: str, read: str) -> None:
    assert reread([task, ISSUE]) == [Disagreement(task.id, wording_of(task), slot, wanted, read)]
    assert share(reread([task, ISSUE]), [task, ISSUE]) == 0.5


def test_how_questions_are_spread() -> None:
    found = distributions(worded([SLOW, SLOW, ISSUE]))
    assert found["handle_time"] == {
        "average": {"no": 2},
        "begins": {"who": 2},
        "count": {"5 weeks": 2},
        "empty": {"yes": 2},
        "extreme": {"max": 2},
        "n": {"2": 2},
        "period": {"past weeks": 2},
        "words": {"10-14": 2},
    }
    assert found["top_issue_identification"]["year"] == {"2021": 1}
    assert found["top_issue_identification"]["period"] == {"named quarter": 1}


def test_how_far_two_sets_are_apart() -> None:
    assert distance({"a": 2, "b": 2}, {"a": 1, "b": 1}) == 0
    assert distance({"a": 3, "b": 1}, {"a": 1, "b": 3}) == 0.5
    assert distance({"a": 1}, {"b": 7}) == 1
    assert distance({}, {"b": 7}) == 1
    assert distance({}, {}) == 0
    slow, issue = distributions(worded([SLOW])), distributions(worded([ISSUE]))
    assert set(compare(slow, slow)["handle_time"].values()) == {0.0}
    assert set(compare(slow, issue)["handle_time"].values()) == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite", [lambda: full_suite()[0], lambda: small_suite("faithful")], ids=["clean", "faithful"]
)
def test_generated_wordings_say_what_they_should(suite: Callable[[], Suite]) -> None:
    generated = suite().tasks[::3]
    differing = reread(generated)
    by_family = {task.intent for task in generated}
    assert len(by_family) == 9
    assert share(differing, generated) >= 0.98, differing[:5]
    for family in by_family:
        tasks = [task for task in generated if task.intent == family]
        wrong = {each.task_id for each in differing} & {task.id for task in tasks}
        assert len(wrong) <= 0.05 * len(tasks), family
