"""Plain examples of a suite for DSPy, and their metric."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import dspy
import pytest

from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task
from worksmith.exports.dspy.episodes import Episodes
from worksmith.tools.errors import InfrastructureError, InputError


@pytest.fixture(scope="module")
def exported(folder: Path) -> ModuleType:
    out = folder.parent / "exported"
    result = invoke("export", "dspy", folder, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["files"] == ["train.json", "dev.json", "test.json", "metric.py"]
    spec = importlib.util.spec_from_file_location("exported_metric", out / "metric.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def suite(exported: ModuleType) -> Suite:
    found: Suite = exported.episodes.suite
    return found


def done(episodes: Episodes, task: Task, answer: str | None = None) -> dspy.Prediction:
    """What a program gives back that follows the gold plan through tools made before."""
    tools = {tool.name: tool for tool in episodes.tools()}
    with episodes.open(task.id) as session:
        for step in task.gold_plan or ():
            tools[step.tool.replace(".", "__")](**step.arguments)
        said = (task.answer.text if task.answer else "") if answer is None else answer
        if task.answer:
            session.task.finish(said, status=task.answer.status)
        return dspy.Prediction(answer=said, record=session.close(said))


def test_files_hold_what_a_program_may_see_and_no_truth(exported: ModuleType, suite: Suite) -> None:
    for split in ("train", "dev", "test"):
        found = exported.examples(split)
        assert [each.id for each in found] == [task.id for task in suite.select(split=split)]
        for example in found:
            task = suite.task(example.id)
            assert example.inputs().toDict().keys() == {"id", "query", "context"}
            assert example.keys() == ["id", "query", "context", "persona", "now", "domains"]
            assert example.query == task.query
            assert task.persona is None or task.persona.name in example.context


def test_the_metric_is_the_outcome(exported: ModuleType, suite: Suite) -> None:
    for example in exported.examples("test"):
        task = suite.task(example.id)
        right = done(exported.episodes, task)
        assert exported.metric(example, right) == 1.0
        assert exported.metric(example, right, trace=[]) is True
        idle = exported.metric(example, dspy.Prediction(answer="I do not know."))
        assert idle == 0.0


def test_dspy_evaluates_with_it(exported: ModuleType, suite: Suite) -> None:
    measured = dspy.Evaluate(
        devset=exported.examples("dev"), metric=exported.metric, num_threads=4, display_progress=False
    )

    assert measured(lambda id, **_: done(exported.episodes, suite.task(id))).score == 100.0


def test_an_answer_alone_is_that_of_an_agent_without_calls(exported: ModuleType, suite: Suite) -> None:
    found = {}
    for example in exported.examples("test"):
        task = suite.task(example.id)
        assert task.answer is not None
        said = dspy.Prediction(answer=task.answer.text, status=task.answer.status)
        unchanging = not task.expected
        found[example.id] = exported.metric(example, said), float(unchanging)

    assert {score for score, _ in found.values()} == {0.0, 1.0}
    assert [name for name, (score, expected) in found.items() if score != expected] == []


def test_tools_work_in_the_episode_of_their_block_only(exported: ModuleType, suite: Suite) -> None:
    tool = exported.episodes.tools()[0]
    with pytest.raises(InputError, match="no episode is open"):
        tool()
    with exported.episodes.open(suite.tasks[0].id) as session:
        pass
    assert session.task.tools.call(tool.name, {}).startswith("The task has ended")
    with pytest.raises(InputError, match="no task"), exported.episodes.open("none"):
        pass


def test_a_prediction_without_anything_to_score_and_a_lost_episode_are_errors(
    exported: ModuleType, suite: Suite
) -> None:
    example = exported.examples("dev")[0]
    with pytest.raises(InputError, match="neither a record nor an answer"):
        exported.metric(example, dspy.Prediction(text="x"))
    with exported.episodes.open(example.id) as session:
        lost = session.close(failure=ConnectionError("reset"))
    with pytest.raises(InfrastructureError):
        exported.metric(example, dspy.Prediction(record=lost))
