"""MLflow's own pages find tasks, rubrics, prompts and programs where they look for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worksmith.evals.judging.local import LocalRubric
from worksmith.evals.judging.rubric import Rubrics
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
from worksmith.evals.tracking import Dataset, open_tracker
from worksmith.evals.tracking.datasets import keep_dataset
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker

pytestmark = pytest.mark.slow

SUITE = Dataset("it's a suite", "abc123")
SECRET = "the vault opens at nine"


@pytest.fixture
def tracker(uri: str, request: pytest.FixtureRequest) -> MlflowTracker:
    """A tracker of an experiment of the test's own."""
    made = open_tracker(uri, experiment=request.node.name)
    assert isinstance(made, MlflowTracker)
    return made


def tasks(count: int) -> list[Task]:
    answer = Answer(kind="entities", required=(Entity(type="text", value=SECRET),))
    return [
        Task(
            id=f"task-{number}",
            query=f"When does vault {number} open?",
            domains=("vaults",),
            intent="vault",
            answer=answer,
            gold_plan=(Step(tool="vaults.read", arguments={"text": SECRET}),),
        )
        for number in range(count)
    ]


class GraderOfEverything:
    """A judge of a user, with rubrics."""

    name, digest = "acme/grader-1", "grader"

    def __init__(self, criterion: str) -> None:
        levels = {str(level): f"level {level}" for level in range(1, 6)}
        rubric = {"name": "all", "criterion": criterion, "levels": levels}
        self.rubrics = Rubrics.model_validate({"rubrics": [rubric]})

    def __call__(self, task: Any, record: Any) -> Any:
        raise AssertionError("nothing is graded here")


def test_the_tasks_of_runs_are_one_dataset_without_truth_or_names_of_people(tracker: MlflowTracker) -> None:
    for _ in range(2):
        with tracker.start("eval") as run:
            run.dataset(SUITE, split="test", tasks=tasks(3))

    (found,) = tracker.client.search_datasets([tracker.experiment_id])
    assert found.name.startswith("it's a suite/test, 3 tasks, ")
    assert found.tags["worksmith.suite_digest"] == "abc123"
    assert found.created_by is None
    stored = tracker.client._tracking_client.store._load_dataset_records(found.dataset_id)[0]
    assert sorted((row.inputs for row in stored), key=lambda given: given["task_id"]) == [
        {"task_id": task.id, "task": task.query, "domains": ["vaults"]} for task in tasks(3)
    ]
    assert SECRET not in json.dumps([row.to_dict() for row in stored])


def test_other_tasks_and_expectations_are_other_datasets(tracker: MlflowTracker) -> None:
    client, where = tracker.client, tracker.experiment_id
    made = [
        keep_dataset(client, where, SUITE, "test", tasks(2)),
        keep_dataset(client, where, SUITE, "test", tasks(3)),
        keep_dataset(client, where, SUITE._replace(digest="def"), "test", tasks(3)),
        keep_dataset(client, where, SUITE, "test", tasks(3), expected=True),
        keep_dataset(client, where, SUITE, "test", tasks(3), expected=True),
    ]
    names = [each.name for each in made]
    assert len(set(names)) == 4
    found = {each.name: each.dataset_id for each in client.search_datasets([where])}
    assert set(found) == set(names)
    store = client._tracking_client.store
    told = store._load_dataset_records(found[names[3]])[0][0].expectations
    assert told == {
        "expected_status": "answered",
        "expected_response": SECRET,
        "expected_tools": ["vaults.read"],
    }


def test_a_dataset_that_was_left_incomplete_is_made_again(
    tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tracker.client._tracking_client.store
    with monkeypatch.context() as patch:
        patch.setattr(type(store), "upsert_dataset_records", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            keep_dataset(tracker.client, tracker.experiment_id, SUITE, "dev", tasks(2))
    keep_dataset(tracker.client, tracker.experiment_id, SUITE, "dev", tasks(2))
    sizes = [
        len(store._load_dataset_records(each.dataset_id)[0])
        for each in tracker.client.search_datasets([tracker.experiment_id])
    ]
    assert sorted(sizes) == [0, 2]


def _interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def test_rubrics_are_judges_with_a_version_for_each_text(tracker: MlflowTracker) -> None:
    with tracker.start("eval") as run:
        for criterion in ("Is it right?", "Is it right?", "Is it brief?"):
            run.judges([LocalRubric(), GraderOfEverything(criterion)], tasks(2))

    found = tracker.client._tracking_client.store.list_scorers(tracker.experiment_id)
    versions = {each.scorer_name: each.scorer_version for each in found}
    assert versions == {"judge_question, local/rubric": 1, "judge_all, acme/grader-1": 2}
    mine = next(each.serialized_scorer for each in found if "acme" in each.scorer_name)
    said = mine.instructions_judge_pydantic_data
    assert said is not None
    assert said["instructions"].startswith("Is it brief?\nLevel 1: level 1")
    assert said["model"] == "acme:/grader-1"


def test_a_store_without_such_pages_is_a_warning(
    tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.exceptions import MlflowException

    def refused(*_: Any, **__: Any) -> Any:
        raise MlflowException("not in this store")

    store = type(tracker.client._tracking_client.store)
    monkeypatch.setattr(store, "search_datasets", refused)
    monkeypatch.setattr(store, "list_scorers", refused)
    with tracker.start("eval") as run:
        with pytest.warns(UserWarning, match="datasets lacks these tasks: MLflow: not in this store"):
            run.dataset(SUITE, split="test", tasks=tasks(1))
        with pytest.warns(UserWarning, match="judges lacks these rubrics"):
            run.judges([LocalRubric()], tasks(1))
    stored = tracker.client.get_run(run.id)
    assert stored.info.status == "FINISHED"
    assert [each.dataset.digest for each in stored.inputs.dataset_inputs] == ["abc123"]


def test_prompts_are_on_the_pages_of_all_experiments_that_chose_them(
    tracker: MlflowTracker, uri: str
) -> None:
    for experiment in ("mail", "desk", "mail"):
        with open_tracker(uri, experiment=experiment).start("compile") as run:
            run.prompts({"react.selector": "Look first."})
    client = tracker.client
    named = client.get_prompt("react.selector").tags["_mlflow_experiment_ids"].strip(",").split(",")
    wanted = {client.get_experiment_by_name(name).experiment_id for name in ("mail", "desk")}
    assert wanted <= set(named)
    assert len(named) == len(set(named))
    assert client.load_prompt("prompts:/react.selector@latest").version == 1
