"""A compiled program served by MLflow works for whoever the row names, and for nobody else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import mlflow.pyfunc
import pytest
from mlflow.pyfunc import scoring_server
from starlette.testclient import TestClient

from tests import standin
from tests.programs.org import make_org
from tests.tables import each_row
from tests.tools.kinds.enterprise.small_world import GITA, HARI, write_small_world
from worksmith.evals.suite import Suite, write_suite
from worksmith.jobs.project import new_project
from worksmith.jobs.recording.served import CODE, ServedAgent, bundle
from worksmith.jobs.settings.suites import NewSettings
from worksmith.optimizers.compiling.artifact import Artifact, Manifest
from worksmith.programs.agent import Agent
from worksmith.tools.episode_result import EpisodeResult
from worksmith.tools.errors import InputError
from worksmith.tools.sqlite.outcome import Outcome
from worksmith.tools.world import World

ROW = {"task": "What is new?", "persona": GITA}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("served")
    return serve(folder, write_small_world(folder / "suite"))


def serve(folder: Path, world: World) -> Any:
    suite = write_suite(world, [])
    manifest = Manifest(
        program=Agent("react", max_steps=1).config,
        suite={},
        scheme="standard",
        train=(),
        dev=(),
        lm=standin.NAME,
        teacher="gold",
        gold=True,
        optimizer="none",
        settings={},
    )
    Artifact.of(Agent("react", max_steps=1), manifest, {}).write(folder / "program.json")
    packed = bundle(folder / "program.json", suite, folder / "packed")
    model = ServedAgent()
    model.load_context(SimpleNamespace(artifacts={"program": str(packed)}, model_config={"lm": standin.NAME}))
    return model


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """The server of `mlflow models serve`, without its process."""
    folder = tmp_path_factory.mktemp("scored")
    serve(folder, write_small_world(folder / "suite"))
    mlflow.pyfunc.save_model(
        path=str(folder / "model"),
        python_model=str(CODE),
        artifacts={"program": str(folder / "packed")},
        model_config={"lm": standin.NAME},
        pip_requirements=[],
    )
    return TestClient(scoring_server.init(mlflow.pyfunc.load_model(str(folder / "model"))))


def test_a_row_is_answered_on_behalf_of_whom_it_names(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    forward = Agent.forward

    def asking(agent: Agent, task: Any) -> Any:
        asked.append(task.persona.id)
        return forward(agent, task)

    monkeypatch.setattr(Agent, "forward", asking)
    rows = [{"task": "What is new?", "persona": GITA}, {"task": "What is new?", "persona": f" {HARI} "}]
    answers = served.predict(None, rows)
    assert asked == [GITA, HARI]
    assert [answer["error"] for answer in answers] == [None, None]


def test_a_project_is_packed_without_its_results(tmp_path: Path) -> None:
    """Else each compile would copy all that the compiles before it had packed."""
    project = new_project(NewSettings(folder=tmp_path / "desk")).folder
    suite = Suite.open(project)
    others = (
        ".env",
        ".git/HEAD",
        ".worksmith/worlds/old/world.sqlite",
        "compiled.json.journal/replies.jsonl",
        "mlruns/mlflow.db",
        "tests/test_environment.py",
        "venv/pyvenv.cfg",
    )
    for name in (*others, "data/notes/a.md", "program.json"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()

    packed = bundle(project / "program.json", suite, tmp_path / "packed") / "suite"

    assert [name for name in others if (packed / name).exists()] == []
    assert (packed / "data/notes/a.md").exists()
    assert Suite.open(packed).digest == suite.digest


@pytest.mark.parametrize("row", [{}, {"persona": ""}, {"persona": None}, {"persona": float("nan")}])
def test_nobody_is_served_as_somebody_else_by_default(served: Any, row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no persona"):
        served.predict(None, [{"task": "What is new?", **row}])


def test_a_stranger_is_refused(served: Any) -> None:
    with pytest.raises(InputError, match="no employee"):
        served.predict(None, [{"task": "What is new?", "persona": "emp_9999"}])


def test_a_row_may_say_what_is_told_besides(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def telling(agent: Agent, task: Any) -> Any:
        told.append(task.context)
        return dspy.Prediction(episode=EpisodeResult("finished", Outcome(b"", ())))

    monkeypatch.setattr(Agent, "forward", telling)
    row = {"task": "What is new?", "persona": GITA}
    served.predict(
        None, [{**row, "context": "Weeks begin on Monday."}, row, {**row, "context": float("nan")}]
    )

    assert told == ["Weeks begin on Monday.", "", ""]


@pytest.mark.slow
@each_row(
    "body",
    [
        {"dataframe_records": [{"task": "What is new?", "persona": GITA}] * 2},
        {"dataframe_records": [{"task": "What is new?", "persona": GITA, "domains": ["github"]}, ROW]},
        {"dataframe_split": {"columns": ["task", "persona"], "data": [["What is new?", GITA]] * 2}},
        {"inputs": [ROW, ROW]},
        {"instances": [ROW, ROW]},
    ],
)
def test_mlflow_serves_it_in_every_form_of_its_requests(server: TestClient, body: dict[str, Any]) -> None:
    reply = server.post("/invocations", json=body)

    assert reply.status_code == 200, reply.text
    assert [each["error"] for each in reply.json()["predictions"]] == [None, None]


@pytest.mark.slow
def test_mlflow_says_what_a_row_lacks(server: TestClient) -> None:
    reply = server.post("/invocations", json={"dataframe_records": [{"task": "What is new?"}]})

    assert reply.status_code == 400
    assert "a row has no persona" in reply.text


def test_roles_have_to_be_named_too(tmp_path: Path) -> None:
    served = serve(tmp_path, make_org(tmp_path / "org").world)
    with pytest.raises(InputError, match="no persona"):
        served.predict(None, [{"task": "Who is fastest?"}])

    assert served.predict(None, [{"task": "Who is fastest?", "persona": "service_agent"}])[0]["error"] is None
