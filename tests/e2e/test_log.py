"""A killed evaluation loses no finished episode: its log goes to MLflow, and a resume finishes the rest."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import standin
from tests.e2e.conftest import invoke
from tests.e2e.serving import worksmith
from tests.stores import new_store

pytestmark = pytest.mark.slow

SECONDS = 60


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A current directory with one MLflow store for all tests."""
    folder = tmp_path_factory.mktemp("runs")
    new_store(folder / "mlruns" / "mlflow.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


def store(here: Path) -> tuple[Any, Any, str]:
    from mlflow import MlflowClient
    from mlflow.tracing.client import TracingClient

    uri = f"sqlite:///{here}/mlruns/mlflow.db"
    client = MlflowClient(tracking_uri=uri)
    return client, TracingClient(uri), client.get_experiment_by_name("office").experiment_id


def traced(traces: Any, experiment: str, run_id: str) -> set[str]:
    found = traces.search_traces(locations=[experiment], run_id=run_id, include_spans=False, max_results=500)
    return {trace.info.tags["episode"] for trace in found}


def test_a_killed_evaluation_loses_no_finished_episode(office: Path, there: Path) -> None:
    log = there / "eval.jsonl"
    command = ["eval", office, "--lm", standin.NAME, "--strategy", "act", "--log", log, "--traces", "all"]
    command += ["--workers", 1, "--limit", 20]
    running = worksmith(*command, environment={})
    end = time.monotonic() + SECONDS
    while (not log.exists() or log.read_bytes().count(b"\n") < 3) and time.monotonic() < end:
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()

    client, traces, experiment = store(there)
    (abandoned,) = client.search_runs([experiment])
    assert abandoned.info.status == "RUNNING"

    lines = log.read_bytes()
    finished = {json.loads(line)["key"] for line in lines[: lines.rfind(b"\n")].splitlines()}
    result = invoke("log", log)
    assert result.exit_code == 0, result.output
    rescued = client.search_runs([experiment], "tags.`worksmith.command` = 'log'")[0]
    assert traced(traces, experiment, rescued.info.run_id) == finished
    assert rescued.data.metrics["episodes"] == len(finished)

    result = invoke(*command, "--resume")
    assert result.exit_code == 0, result.output
    whole = client.search_runs([experiment], "tags.`worksmith.command` = 'eval'")
    assert sorted(run.info.status for run in whole) == ["FINISHED", "KILLED"]
    complete = next(run for run in whole if run.info.status == "FINISHED")
    assert finished <= traced(traces, experiment, complete.info.run_id)
    assert complete.data.metrics["episodes"] == 20

    again = invoke("log", complete.info.run_id)
    assert "in MLflow already" in str(again.exception)


def test_a_log_says_where_its_suite_is_missing(office: Path, there: Path) -> None:
    log = there / "short.jsonl"
    evaluated = invoke("eval", office, "--strategy", "act", "--limit", 2, "--log", log, "--no-track")
    assert evaluated.exit_code == 0, evaluated.output
    card = json.loads((there / "short.card.json").read_text())
    (there / "short.card.json").write_text(json.dumps({**card, "suite": str(there / "gone")}))

    result = invoke("log", log, "--experiment", "office", "--json")

    assert result.exit_code == 0, result.output
    assert "its suite is missing" in result.stderr
    client, traces, experiment = store(there)
    run = client.search_runs([experiment], "params.from_log = 'short.jsonl'")[0]
    said = {"log": str(log), "run_id": run.info.run_id, "episodes": 2}
    assert json.loads(result.stdout) == {"runs": [said]}
    again = invoke("log", log, "--experiment", "office", "--json")
    assert json.loads(again.stdout) == {"runs": [said]}
    assert "is in MLflow already" in again.stderr
    assert len(client.search_runs([experiment], "params.from_log = 'short.jsonl'")) == 1
    (trace, _) = traces.search_traces(locations=[experiment], run_id=run.info.run_id, max_results=9)
    assert not any(assessment.expectation for assessment in trace.info.assessments)
