"""Result files of published runs, scored on the imported tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tools.kinds.enterprise.importing.small import TASKS, write_small
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.running.score_predictions import score_predictions
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.jobs.opening.named_judges import open_judges
from worksmith.tools.errors import InputError


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return import_suite("enterprisebench", write_small(tmp_path / "files"), tmp_path / "suite")


def scored(suite: Suite, file: Path, value: Any) -> Any:
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    judges = open_judges(("local/rubric",), None, suite.env.kind.tables)
    return score_predictions(suite, file, scorers=scorers_for(suite.env), judges=judges)


def result(task: dict[str, Any], answer: str, **more: Any) -> dict[str, Any]:
    return {
        "emp_id": task["emp_id"],
        "task": task["task"],
        "answer": answer,
        "ground_truth": task["gt"],
        **more,
    }


def test_answers_are_checked_or_judged(suite: Suite, tmp_path: Path) -> None:
    runs = [
        result(TASKS[0], "It is 51,000."),
        result(TASKS[1], "About nothing much."),
        {"task": "Who?", "answer": "I"},
    ]
    found = scored(suite, tmp_path / "gpt_4o_react.json", {"results": runs})
    by_text = {record.query: record for record in found.records}
    salary, talk = (by_text[task["task"]] for task in TASKS)
    assert (salary.scores["outcome"], found.unmatched) == (1.0, 1)
    assert "outcome" not in talk.scores
    assert talk.scores["words_f1"] == 1


def test_a_run_that_failed_and_one_that_found_nothing(suite: Suite, tmp_path: Path) -> None:
    failed = result(TASKS[0], "", errors=[{"stage": "get_tools", "reason": "bad JSON"}])
    nothing = result(TASKS[0], "I could not find any record.")
    first, second = scored(suite, tmp_path / "runs.json", [failed, nothing]).records
    assert (first.status, first.error) == ("program_error", "get_tools: bad JSON")
    assert (second.trial, second.answer_status) == (1, "not_found")


def test_other_names_and_runs_without_a_persona(suite: Suite, tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": TASKS[0]["task"]}]
    (record,) = scored(suite, tmp_path / "runs.json", [{"messages": chat, "final_answer": "51000"}]).records
    assert record.scores["outcome"] == 1


@pytest.mark.parametrize("value", ["", "[{", "[]", [{"answer": "42"}]])
def test_a_file_without_runs_is_refused(suite: Suite, tmp_path: Path, value: Any) -> None:
    with pytest.raises(InputError, match=r"runs\.json"):
        scored(suite, tmp_path / "runs.json", value)
