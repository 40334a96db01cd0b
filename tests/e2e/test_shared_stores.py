"""A team's MLflow: a server over PostgreSQL with users, written to by many, and sometimes away."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.snippets import forks
from tests import standin
from tests.e2e.conftest import invoke
from tests.e2e.shared_servers import (
    LOG_IN,
    Line,
    bucket_client,
    mlflow_server,
    object_store,
    postgres,
    users_file,
)
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.store import existing_store

pytestmark = pytest.mark.slow

WRITERS, TASKS = 3, 3
USER = {"MLFLOW_TRACKING_USERNAME": "team", "MLFLOW_TRACKING_PASSWORD": "password-of-tests"}


@pytest.fixture(scope="module")
def objects() -> Iterator[dict[str, str]]:
    """An object store with the bucket `runs`."""
    with object_store("runs") as found:
        yield found


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres() as address:
        yield address


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, database: str, objects: dict[str, str]) -> Iterator[str]:
    """The address of an MLflow server with users, over PostgreSQL and an object store."""
    pytest.importorskip("flask_wtf", reason="MLflow's log-in is not installed: Flask-WTF")
    folder = tmp_path_factory.mktemp("team")
    users = folder / "users.ini"
    users.write_text(users_file(database))
    secrets = {
        "MLFLOW_AUTH_CONFIG_PATH": str(users),
        "MLFLOW_AUTH_ADMIN_PASSWORD": USER["MLFLOW_TRACKING_PASSWORD"],
        "MLFLOW_FLASK_SERVER_SECRET_KEY": "key-of-tests",
    }
    place = {"store": f"{database}/mlflow", "artifacts": "s3://runs"}
    with mlflow_server(folder, *LOG_IN, **place, environment=secrets | objects) as address:
        yield address


@pytest.fixture
def user(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory of somebody who may log in."""
    for name, value in USER.items():
        monkeypatch.setenv(name, value)
    return here


class Kept:
    """What the server holds of an experiment."""

    def __init__(self, address: str, experiment: str) -> None:
        from mlflow import MlflowClient
        from mlflow.tracing.client import TracingClient

        self.client, self._traces = MlflowClient(tracking_uri=address), TracingClient(address)
        self.experiment = self.client.get_experiment_by_name(experiment).experiment_id

    def runs(self) -> list[Any]:
        return list(self.client.search_runs([self.experiment]))

    def traces(self) -> list[tuple[str, str]]:
        """The run and the episode of each trace."""
        found = self._traces.search_traces(locations=[self.experiment], include_spans=False, max_results=500)
        return sorted((t.info.trace_metadata["mlflow.sourceRun"], t.info.tags["episode"]) for t in found)


def evaluated(office: Path, address: str, experiment: str, *options: object) -> Any:
    place = ("--tracking-uri", address, "--experiment", experiment, "--traces", "all")
    how = ("--lm", standin.NAME, "--strategy", "act", "--workers", 1)
    return invoke("eval", office, *how, *place, *options)


def take_environment(found: dict[str, str]) -> None:
    os.environ.update(found)


def write(number: int, folder: Path, office: Path, address: str) -> str:
    """What one of the writers does, in a process of its own."""
    log = folder / f"{number}.jsonl"
    result = evaluated(office, address, "many", "--limit", TASKS, "--judge", "local/rubric", "--log", log)
    return f"{result.exit_code} {result.output} {result.exception}" if result.exit_code else ""


def test_many_write_at_once_and_nothing_is_lost_or_twice(
    team: str, objects: dict[str, str], user: Path, office: Path
) -> None:
    # The server of forks may be that of an earlier test, with the environment of that time.
    with forks().Pool(WRITERS, take_environment, (dict(os.environ),)) as pool:
        writing = [pool.apply_async(write, (number, user, office, team)) for number in range(WRITERS)]
        assert [each.get(300) for each in writing] == [""] * WRITERS
    # On a busy machine the server may have been silent for too long.
    for note in user.glob("*.unsent.json"):
        log = note.with_name(note.name.replace(".unsent.json", ".jsonl"))
        place = ("--tracking-uri", team, "--experiment", "many", "--traces", "all")
        assert invoke("log", log, *place).exit_code == 0

    kept = Kept(team, "many")
    runs = kept.runs()
    assert [run.info.status for run in runs] == ["FINISHED"] * WRITERS
    assert [run.data.metrics["episodes"] for run in runs] == [TASKS] * WRITERS
    assert all(len(run.inputs.dataset_inputs) == 1 for run in runs)
    traces = kept.traces()
    assert len(traces) == len(set(traces)) == WRITERS * TASKS
    assert len({run for run, _ in traces}) == WRITERS
    assert len(kept.client.search_datasets([kept.experiment])) == 1
    files = bucket_client(objects).list_objects_v2(Bucket="runs")["Contents"]
    logs = [file["Key"] for file in files if file["Key"].endswith("episodes/test.jsonl")]
    assert [sum(run.info.run_id in log for log in logs) for run in runs] == [1] * WRITERS
    store = kept.client._tracking_client.store
    judges = store.list_scorers(kept.experiment)
    assert len(judges) == len({judge.scorer_name for judge in judges}) > 0
    for judge in judges:
        assert len(store.list_scorer_versions(kept.experiment, judge.scorer_name)) == 1


def test_somebody_who_is_not_known_is_told_how_to_log_in(
    team: str, user: Path, office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "guessed-by-tests")
    result = evaluated(office, team, "closed", "--limit", 1, "--log", user / "x.jsonl")
    assert result.exit_code == 1
    assert "MLFLOW_TRACKING_PASSWORD" in str(result.exception)
    assert "guessed-by-tests" not in str(result.exception)
    assert "MLFLOW_TRACKING_PASSWORD" in invoke("doctor", "--tracking-uri", team).stdout


def test_a_database_that_refuses_us_is_said_at_once(database: str) -> None:
    began = time.monotonic()
    with pytest.raises(TrackingError, match="password authentication failed") as caught:
        existing_store(database.replace("secret-of-tests", "guessed-by-tests") + "/mlflow")
    assert time.monotonic() - began < 10
    assert "guessed-by-tests" not in str(caught.value)
    assert existing_store(f"{database}/mlflow") == f"{database}/mlflow"


def _cut_when(there: Callable[[], bool], line: Line) -> threading.Thread:
    def wait() -> None:
        end = time.monotonic() + 60
        while not there() and time.monotonic() < end:
            time.sleep(0.005)
        line.cut()

    cutting = threading.Thread(target=wait, daemon=True)
    cutting.start()
    return cutting


def test_a_run_goes_on_without_its_server_and_is_sent_later_once(team: str, user: Path, office: Path) -> None:
    line, log = Line(team), user / "eval.jsonl"
    cutting = _cut_when(lambda: log.exists() and b"\n" in log.read_bytes(), line)
    result = evaluated(office, line.address, "away", "--limit", 12, "--log", log)
    cutting.join()
    assert result.exit_code == 0, result.output
    assert log.read_bytes().count(b"\n") == 12
    kept = Kept(team, "away")
    (begun,) = kept.runs()
    assert begun.info.status == "RUNNING"
    assert (user / "eval.unsent.json").is_file()

    send = ("log", log, "--tracking-uri", line.address, "--experiment", "away", "--json")
    began = time.monotonic()
    refused = invoke(*send)
    assert refused.exit_code == 1
    assert "cannot be used: Connection refused" in str(refused.exception)
    assert time.monotonic() - began < 10

    line.mend()
    for _ in range(2):
        sent = invoke(*send)
        assert sent.exit_code == 0, sent.output
        assert json.loads(sent.stdout)["runs"][0]["run_id"] == begun.info.run_id
    line.cut()
    (whole,) = kept.runs()
    assert whole.info.status == "FINISHED"
    assert whole.data.metrics["episodes"] == 12
    traces = kept.traces()
    assert len(traces) == len(set(traces)) == 12
    table = json.loads(
        Path(kept.client.download_artifacts(whole.info.run_id, "episodes/test.json", str(user))).read_text()
    )
    assert len(table["data"]) == 12
    history = kept.client.get_metric_history(whole.info.run_id, "episodes")
    assert len(history) == 1
    assert not (user / "eval.unsent.json").exists()
