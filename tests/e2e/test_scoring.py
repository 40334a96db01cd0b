"""`worksmith score` on every kind of suite: a log scored again has the rows of its evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import invoke
from tests.e2e.suites import KINDS, make_suite
from worksmith.evals.records.logs.log import read_log

pytestmark = pytest.mark.slow


def as_json(*words: object) -> Any:
    result = invoke(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module", params=KINDS)
def suite(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_suite(request.param, tmp_path_factory.mktemp("scoring") / "suite")


@pytest.mark.parametrize("program", [["--lm", "gold"], ["--access", "both"]], ids=["gold", "checking"])
def test_a_log_scored_again_has_the_rows_of_its_evaluation(
    suite: Path, here: Path, program: list[str]
) -> None:
    options = ["--strategy", "react", *program, "--limit", 6, "--no-track", "--log", "run.jsonl"]
    rows = as_json("eval", suite, *options)["rows"]
    logged = {record.task_id: record for record in read_log("run.jsonl")}

    found = as_json("score", suite, "run.jsonl", "--logs", "logs")

    unlike = ("run", "scores")
    assert [
        {name: value for name, value in row.items() if name not in unlike} for row in found["rows"]
    ] == sorted(
        ({name: value for name, value in row.items() if name not in unlike} for row in rows),
        key=lambda row: str(row["task_id"]),
    )
    assert {row["task_id"]: row["scores"] for row in found["rows"]} == {
        name: record.scores for name, record in logged.items()
    }
    assert set(found["baselines"])
    assert found["runs"][0]["unmatched"] == 0
    again = {record.task_id: record.scores for record in read_log("logs/01-run.jsonl")}
    assert again == {name: record.scores for name, record in logged.items()}


def test_the_name_of_a_file_moves_no_cursor(tmp_path_factory: pytest.TempPathFactory, here: Path) -> None:
    suite = make_suite(next(iter(KINDS)), tmp_path_factory.mktemp("named") / "suite")
    task = json.loads((suite / "tasks.jsonl").read_text().splitlines()[0])["id"]
    Path("p\x1b[31m.jsonl").write_text(json.dumps({"task_id": task}) + "\n")

    shown = invoke("score", suite, "p\x1b[31m.jsonl")

    assert shown.exit_code == 0, shown.output
    assert "\x1b[31m" not in shown.output
    assert "p\ufffd[31m" in shown.output
