"""What the tracker leaves in an MLflow store."""

from __future__ import annotations

import json
import textwrap
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from docs.snippets import forks
from tests.evals.episodes import mixed, solved
from tests.evals.tracking.stored import traces_of
from worksmith.evals.records.logs.log import read_log
from worksmith.evals.reporting.report import study_report
from worksmith.evals.running.study import StudyArm, run_study
from worksmith.evals.tracking import Dataset, KeptModel, open_tracker
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.registry import Registration
from worksmith.evals.tracking.store import open_store
from worksmith.evals.tracking.traces import IncompleteTracesWarning, TraceWriter
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.slow


def test_figures_settings_and_data_of_a_run(tracker: MlflowTracker) -> None:
    with tracker.start("eval", params={"workers": 8, "suite": Path("/home/me/office")}) as run:
        run.dataset(Dataset("office", "abc123"), split="test", tasks=[], count=9)
        run.evaluation(mixed(8), split="test")

    stored = tracker.client.get_run(run.id)
    assert stored.info.status == "FINISHED"
    assert stored.data.params == {"workers": "8", "suite": "office"}
    figures = stored.data.metrics
    # MLflow's tables have a column for each figure, in this order.
    assert list(figures)[:4] == ["outcome", "error_rate", "tasks", "steps"]
    assert (figures["outcome"], figures["outcome_strict"], figures["error_rate"]) == (0.5, 0.4444, 0.1111)
    assert figures["outcome_low"] < 0.5 < figures["outcome_high"]
    dataset = stored.inputs.dataset_inputs[0].dataset
    assert (dataset.name, dataset.digest) == ("office/test", "abc123")


def test_prompts_are_linked_to_the_run_in_whatever_store(
    tracker: MlflowTracker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in that of the process, where there is no such run, nor a store until one is asked for."""
    monkeypatch.chdir(tmp_path)
    with tracker.start("compile") as run:
        run.prompts({"agent.act": "Look before you write.", "agent.plan": "Plan."})
        run.prompts({"agent.act": "Look before you write.", "agent.plan": "Plan less."}, aliases=["race"])

    linked = json.loads(tracker.client.get_run(run.id).data.tags["mlflow.linkedPrompts"])
    found = [(prompt["name"], prompt["version"]) for prompt in linked]
    assert found == [("agent.act", "1"), ("agent.plan", "1"), ("agent.plan", "2")]
    assert tracker.client.load_prompt("prompts:/agent.plan@race").version == 2
    assert list(tmp_path.iterdir()) == []


def test_every_episode_is_kept_as_row_line_and_trace_with_all_scores(
    tracker: MlflowTracker, tmp_path: Path
) -> None:
    result = mixed(120)
    with tracker.start("eval") as run:
        run.evaluation(result, split="test")

    stored = TraceWriter(tracker.uri, tracker.experiment_id, str(run.id), model="x").stored()
    assert len(stored) == 121
    assert sum(len(assessments) for assessments in stored.values()) == 240
    folder = Path(tracker.client.download_artifacts(run.id, "episodes", str(tmp_path)))
    assert list(read_log(folder / "test.jsonl")) == list(result.records)
    table = json.loads((folder / "test.json").read_text())
    assert len(table["data"]) == 121


def test_a_trace_shows_what_the_agent_did(tracker: MlflowTracker) -> None:
    with tracker.start("eval") as run:
        run.evaluation(mixed(2), split="test")

    by_task = {trace.info.tags["mlflow.traceName"]: trace for trace in traces_of(tracker, run)}
    trace = by_task["task-001"]
    root, first, _ = trace.data.spans
    assert (root.name, root.span_type, first.name, first.span_type) == (
        "react",
        "AGENT",
        "email.search_emails",
        "TOOL",
    )
    assert first.parent_id == root.span_id
    assert first.inputs == {"query": "naïve ✓"}
    assert first.attributes["rule"] == "office.read"
    assert {a.name: a.feedback.value for a in trace.info.assessments} == {
        "outcome": True,
        "unwanted_side_effects": 0.0,  # a number: MLflow would show "False" as a failure
    }
    assert trace.info.token_usage["total_tokens"] == 107
    assert by_task["task-002"].info.state == "ERROR"
    assert by_task["task-002"].info.assessments == []


def losing(monkeypatch: pytest.MonkeyPatch, times: float) -> None:
    """Let the store lose all assessments of a trace but the first, so many times."""
    from mlflow.tracing.client import TracingClient

    original, left = TracingClient.start_trace, [times]

    def forgetful(self: Any, info: Any) -> Any:
        left[0] -= 1
        whole = info.assessments
        try:
            info.assessments = whole[:1] if left[0] >= 0 else whole
            return original(self, info)
        finally:
            info.assessments = whole

    monkeypatch.setattr(TracingClient, "start_trace", forgetful)


def test_what_does_not_arrive_is_sent_again(tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch) -> None:
    losing(monkeypatch, times=2)
    with tracker.start("eval") as run:
        run.evaluation(mixed(2), split="test")

    stored = traces_of(tracker, run)
    assert sorted(len(trace.info.assessments) for trace in stored) == [0, 2, 2]
    data = tracker.client.get_run(run.id)
    assert data.info.status == "FINISHED"
    assert data.data.tags["worksmith.traces"] == "3 of 3 episodes (all)"


def test_what_never_arrives_is_reported_and_fails_the_run(
    tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.tracing.client import TracingClient

    losing(monkeypatch, times=9)
    monkeypatch.setattr(TracingClient, "log_assessment", lambda *_: None)
    with (
        tracker.start("eval") as run,
        pytest.warns(IncompleteTracesWarning, match="3 of 3 traces and 2 of 4 assessments"),
    ):
        run.evaluation(mixed(2), split="test")

    data = tracker.client.get_run(run.id)
    assert data.info.status == "FAILED"
    assert data.data.tags["worksmith.traces"].endswith("incomplete: 3 of 3 traces, 2 of 4 assessments")


def test_runs_nest_and_carry_their_reports(tracker: MlflowTracker, tmp_path: Path) -> None:
    results = {"act": solved([1], of=4), "react": solved([1, 2], of=4)}
    study = run_study([StudyArm("act"), StudyArm("react")], lambda arm: results[arm.label])
    with tracker.start("compare") as parent:
        with parent.child("react", tags={"strategy": "react"}) as child:
            child.metrics({"outcome": 0.5}, step=2)
        parent.report(study_report(study))

    assert tracker.client.get_run(child.id).data.tags["mlflow.parentRunId"] == parent.id
    assert tracker.client.get_metric_history(child.id, "outcome")[0].step == 2
    assert "| react |" in tracker.client.get_run(parent.id).data.tags["mlflow.note.content"]
    page = Path(tracker.client.download_artifacts(parent.id, "report.html", str(tmp_path)))
    assert page.read_text().startswith("<!doctype html>")


def test_a_description_that_is_too_long_has_whole_tables_only(tracker: MlflowTracker) -> None:
    names = [f"program {number} {'x' * 40}" for number in range(60)]
    study = run_study([StudyArm(name) for name in names], lambda arm: solved([1], of=2))
    report = study_report(study)
    assert len(report.markdown()) > 8000
    with tracker.start("compare") as run:
        run.report(report)

    shown = tracker.client.get_run(run.id).data.tags["mlflow.note.content"]
    assert shown.endswith("More tables are in report.md, among the artifacts of this run.\n")
    assert report.markdown().startswith(shown.split("\n\nMore tables")[0])


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (ValueError, "FAILED")])
def test_a_run_that_breaks_off_says_so(
    error: type[BaseException], status: str, tracker: MlflowTracker
) -> None:
    with pytest.raises(error), tracker.start("eval") as run:
        raise error

    assert tracker.client.get_run(run.id).info.status == status


def test_the_users_mlflow_is_left_as_found(
    tracker: MlflowTracker, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dspy
    import mlflow

    # What the test itself sets for the process goes with it.
    monkeypatch.setattr("mlflow.tracking.fluent._active_experiment_id", None)
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID", raising=False)
    address = mlflow.get_tracking_uri()
    callbacks = list(dspy.settings.callbacks)
    try:
        mlflow.set_tracking_uri(uri)
        theirs = mlflow.set_experiment("theirs").experiment_id
        mlflow.dspy.autolog()
        enabled = list(dspy.settings.callbacks)
        with mlflow.start_run() as mine:
            with tracker.start("eval") as run:
                run.evaluation(mixed(2), split="test")
            assert mlflow.active_run().info.run_id == mine.info.run_id
        assert tracker.client.get_run(mine.info.run_id).data.metrics == {}
        assert mlflow.active_run() is None
        assert list(dspy.settings.callbacks) == enabled
        with mlflow.start_run() as later:
            assert later.info.experiment_id == theirs
        assert len(tracker.client.search_runs([theirs])) == 2
        assert mlflow.get_tracking_uri() == uri
    finally:
        mlflow.dspy.autolog(disable=True)
        mlflow.set_tracking_uri(address)
        dspy.configure(callbacks=callbacks)


def test_a_program_is_a_model_that_loads_back(tracker: MlflowTracker, tmp_path: Path) -> None:
    import mlflow

    artifact = tmp_path / "compiled"
    artifact.mkdir()
    (artifact / "answer.txt").write_text("42")
    code = tmp_path / "served.py"
    code.write_text(
        textwrap.dedent(
            """
            from pathlib import Path
            import mlflow

            class Served(mlflow.pyfunc.PythonModel):
                def load_context(self, context):
                    self.answer = (Path(context.artifacts["program"]) / "answer.txt").read_text()

                def predict(self, context, model_input, params=None):
                    return [self.answer for _ in model_input]

            mlflow.models.set_model(Served())
            """
        )
    )
    with tracker.start("compile") as compiled:
        compiled.model(KeptModel("react", [artifact], {}, code))
    with tracker.start("compare") as run:
        run.dataset(Dataset("office", "abc123"), split="test", tasks=[], count=3)
        address = run.model(KeptModel("react", [artifact], {"optimizer": "bootstrap"}, code))
        run.evaluation(mixed(2), split="test")

    assert address is not None
    before = mlflow.get_tracking_uri()
    try:
        mlflow.set_tracking_uri(tracker.uri)
        assert mlflow.pyfunc.load_model(address).predict(["task"]) == ["42"]
    finally:
        mlflow.set_tracking_uri(before)
    model = tracker.client.get_logged_model(address.removeprefix("models:/"))
    assert (model.status, model.source_run_id, model.params["optimizer"]) == ("READY", run.id, "bootstrap")
    for each in (compiled, run):
        links = tracker.client.get_run(each.id)
        assert len(links.inputs.model_inputs) == 1
        assert not links.outputs.model_outputs  # or MLflow's page of evaluation runs would leave it out
    assert links.inputs.model_inputs[0].model_id == model.model_id
    (outcome,) = [metric for metric in model.metrics if metric.key == "outcome"]
    assert (outcome.value, outcome.dataset_name, outcome.dataset_digest) == (0.5, "office/test", "abc123")
    assert tracker.client.get_run(run.id).data.metrics["outcome"] == 0.5
    assert {trace.info.trace_metadata["mlflow.modelId"] for trace in traces_of(tracker, run)} == {
        model.model_id
    }


def test_the_experiment_and_its_files_lie_beside_the_database(tracker: MlflowTracker, uri: str) -> None:
    experiment = tracker.client.get_experiment(tracker.experiment_id)

    assert experiment.tags["mlflow.experimentKind"] == "genai_development"
    view = json.loads(experiment.tags["mlflow.sharedViewState.outcome"])  # MLflow's list of runs offers it
    assert json.loads(view["state"])["selectedColumns"][0] == "metrics.`outcome`"
    assert Path(experiment.artifact_location) == Path(uri.removeprefix("sqlite:///")).parent / "artifacts"


def test_a_deleted_experiment_is_an_input_error(tracker: MlflowTracker, uri: str) -> None:
    _, gone = open_store(uri, "gone")
    tracker.client.delete_experiment(gone)

    with pytest.raises(InputError, match="mlflow experiments restore"):
        open_tracker(uri, experiment="gone")


def test_failures_of_mlflow_end_in_a_sentence(tracker: MlflowTracker) -> None:
    with tracker.start("eval") as run:
        run.params({"a": 1})
        with pytest.raises(TrackingError, match="--no-track"):
            run.params({"a": 2})


def begin(uri: str) -> None:
    open_tracker(uri).start("x")


def test_processes_may_open_a_fresh_store_at_once(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/mlruns/mlflow.db"
    with ProcessPoolExecutor(2, forks()) as pool:
        assert list(pool.map(begin, [address] * 2)) == [None, None]
    client, experiment = open_store(address)
    assert len(client.search_runs([experiment])) == 2


def test_weights_are_registered_and_come_back_whole(tracker: MlflowTracker, tmp_path: Path) -> None:
    import mlflow

    files = [tmp_path / "model.json", tmp_path / "adapter_model.safetensors"]
    for file in files:
        file.write_text(file.name)
    with tracker.start("train") as run:
        named = Registration.parse("planner@champion")
        address = run.model(KeptModel("planner", files, {"base": "local/smollm2"}, register_as=named))

    assert address == "models:/planner/1"
    version = tracker.client.get_model_version_by_alias("planner", "champion")
    assert version.run_id == run.id
    [model] = [
        each
        for each in tracker.client.search_logged_models([tracker.experiment_id])
        if each.artifact_location == version.source
    ]
    assert (model.name, model.status, model.params["base"]) == ("planner", "READY", "local/smollm2")
    mlflow.artifacts.download_artifacts(
        artifact_uri=version.source, dst_path=str(tmp_path / "back"), tracking_uri=tracker.uri
    )
    back = next((tmp_path / "back").rglob("model.json")).parent
    assert {each.name: each.read_text() for each in back.iterdir()} == {
        each.name: each.name for each in files
    }
