"""What traces say of the truth, over the tasks of an enterprise in which personas may not read everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worksmith.evals.suite import Suite
from worksmith.evals.tracking.assessments import expectations

pytestmark = pytest.mark.slow


def test_of_a_denied_task_nothing_is_told_but_the_denial(enterprise: Path) -> None:
    tasks = [task for task in Suite.open(enterprise).tasks if task.answer is not None]
    denied = [task for task in tasks if task.answer and task.answer.kind == "denial"]
    assert denied

    for task in denied:
        told = expectations(task)
        assert told["expected_status"] == "denied"
        assert set(told) <= {"expected_status", "expected_tools"}
        assert all("." in tool and " " not in tool for tool in told.get("expected_tools", []))


def test_no_expectation_quotes_what_must_not_be_disclosed(enterprise: Path) -> None:
    tasks = Suite.open(enterprise).tasks
    told = {task.id: json.dumps(expectations(task), ensure_ascii=False).casefold() for task in tasks}

    assert any("expected_response" in text for text in told.values())
    assert not [
        task.id
        for task in tasks
        for secret in (task.answer.forbidden if task.answer else ())
        if secret.casefold() in told[task.id]
    ]
