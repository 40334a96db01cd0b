"""Rows, predictions and scores for `mlflow.genai.evaluate`, without MLflow's runner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from worksmith.evals.suite import Suite
from worksmith.exports.mlflow import data, predict_fn, scorers
from worksmith.tools.errors import InfrastructureError, InputError

pytestmark = pytest.mark.slow


@pytest.fixture
def suite(folder: Path) -> Suite:
    return Suite.open(folder)


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Predictions leave no traces in a store of the process, which takes seconds to make."""
    import mlflow

    def untraced(predict: Any, **_: Any) -> Any:
        return predict

    monkeypatch.setattr(mlflow, "trace", untraced)


def asked(suite: Suite, number: int = 0) -> dict[str, Any]:
    inputs: dict[str, Any] = data(suite, split="test")[number]["inputs"]
    return inputs


def given(scores: Any, outputs: Any) -> dict[str, Any]:
    (score,) = scores
    return {each.name: each.value for each in score(outputs=outputs)}


def test_rows_have_what_agents_may_see_and_the_truth_only_on_request(suite: Suite) -> None:
    plain, told = data(suite, split="test"), data(suite, split="test", expected=True)
    assert all(set(row) == {"inputs"} for row in plain)
    assert all(
        set(row["inputs"]) <= {"task_id", "task", "context", "domains", "persona", "now"} for row in plain
    )
    assert [row["inputs"] for row in told] == [row["inputs"] for row in plain]
    assert any("expected_tools" in row["expectations"] for row in told)


def test_an_episode_is_run_once(suite: Suite) -> None:
    ran = []

    def agent(task: ws.AgentTask) -> str:
        ran.append(task.id)
        return "Nothing."

    predict = predict_fn(ws.OwnAgent(agent), suite, lm="own")
    first = asked(suite)
    assert predict(**first) == predict(**first)
    assert predict(**asked(suite, 1))["answer"] == "Nothing."
    assert ran == [first["task_id"], asked(suite, 1)["task_id"]]


def test_a_lost_episode_is_an_error_wrong_in_the_strict_outcome_and_run_again(suite: Suite) -> None:
    lost = [True]

    def agent(task: ws.AgentTask) -> str:
        if lost.pop():
            lost.append(False)
            raise InfrastructureError("no connection")
        lost.append(False)
        return "Nothing."

    predict = predict_fn(ws.OwnAgent(agent), suite, lm="own")
    outputs = predict(**asked(suite))
    assert outputs["status"] == "harness_error"
    assert given(scorers(suite), outputs) == {"outcome": None, "outcome_strict": 0.0}
    assert predict(**asked(suite))["status"] == "finished"


def test_a_row_of_another_suite_and_a_prediction_without_episode_are_named(suite: Suite) -> None:
    predict = predict_fn(ws.Agent("react", suite.env), suite, lm="gold")
    with pytest.raises(InputError, match="the row is not the suite's task"):
        predict(**{**asked(suite), "task": "Delete everything."})
    with pytest.raises(InputError, match="no task 'nobody'"):
        predict(task_id="nobody", task="x")
    with pytest.raises(InputError, match="names no episode of this suite"):
        given(scorers(Suite.open(suite.path)), predict(**asked(suite)))


def test_judges_levels_are_scores(suite: Suite) -> None:
    agent = ws.Agent("react", suite.env)
    outputs = predict_fn(agent, suite, lm="gold", judge="local/rubric")(**asked(suite))
    found = given(scorers(suite), outputs)
    assert any(name.startswith("judge_") and value in range(1, 6) for name, value in found.items())
