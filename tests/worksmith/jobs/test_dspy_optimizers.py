"""DSPy's optimizers from the command line: real agents, the model without weights, proposals over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import standin
from tests.chat_server import ChatServer, chat_server, said
from tests.optimizers.proposing import propose
from tests.optimizers.shop import ANY_MODEL
from tests.worksmith.commands import called
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.registry import OPTIMIZERS
from worksmith.tools.errors import InputError

ROOT = Path(__file__).parents[3]
DSPY = [name for name in ANY_MODEL if name.startswith("dspy:")]
PROPOSING = [name for name in DSPY if OPTIMIZERS[name].proposes]
SMALL = ["--demos", 4, "--candidates", 2, "--train-limit", 6, "--dev-limit", 3, "--workers", 2]

IN_A_NEW_PROCESS = """
import json, mlflow, sys
from typer.testing import CliRunner
from worksmith.cli.app import app
store, suite, query, folder, *programs = sys.argv[1:]
mlflow.set_tracking_uri(store)
found = {}
for program in programs:
    file, model = program.split("=")
    path = f"{folder}/{file}"
    command = ["eval", suite, "--program", path, "--limit", "3", "--split", "test", "--no-track",
        "--lm", "tests.standin:lm", "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    served = mlflow.pyfunc.load_model(model).predict({"task": query})
    found[file] = [json.loads(done.stdout), served[0]]
print(json.dumps(found))
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with chat_server() as running:
        monkeypatch.setenv("OPENAI_API_BASE", running.url)

        def answer(body: dict[str, Any]) -> dict[str, Any]:
            running.bodies.append(body)
            return said(propose(body["messages"], len(running.bodies)))

        monkeypatch.setattr(running, "answer", answer)
        yield running


def run(*arguments: object) -> Any:
    result = called("compile", *arguments)
    assert result.exit_code == 0, result.output
    return result


def proposer(name: str) -> list[str]:
    # A name of its own each time: what a model of that name has said is cached.
    return ["--proposer", f"openai/{uuid4()}"] if OPTIMIZERS[name].proposes else []


@pytest.mark.slow
def test_programs_load_in_a_new_process_and_through_mlflow(
    suite: Suite, tmp_path: Path, server: ChatServer
) -> None:
    import mlflow

    store = f"sqlite:///{tmp_path}/mlflow.db"
    programs: dict[str, str] = {}
    client = mlflow.MlflowClient(store)
    for name in ("dspy:KNNFewShot", "dspy:GEPA"):
        file = name.rpartition(":")[2]
        arguments = ["--optimizer", name, *proposer(name), *SMALL, "--tracking-uri", store, "--json"]
        run(suite.path, "--out", tmp_path / file, *arguments)
        experiments = [experiment.experiment_id for experiment in client.search_experiments()]
        known = {model.model_id for model in client.search_logged_models(experiments, max_results=50)}
        (programs[file],) = known - set(programs.values())

    query = suite.select(split="test", limit=3)[0].query
    pairs = [f"{file}=models:/{model}" for file, model in programs.items()]
    command = [sys.executable, "-c", IN_A_NEW_PROCESS, store, str(suite.path), query, str(tmp_path), *pairs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLFLOW_DISABLE_TELEMETRY": "true"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])

    for file in programs:
        tasks = suite.select(split="test", limit=3)
        agent = load_program(tmp_path / file, suite.env)
        result = evaluate(agent, tasks, EvalSettings(env=suite.env, lm=standin.lm()))
        (run_of_it,), served = found[file][0]["runs"], found[file][1]
        outcome = result.summary.scores["outcome"].value
        assert run_of_it["summary"]["scores"]["outcome"]["value"] == outcome
        assert served["status"] == result.records[0].status
        assert [call["tool"] for call in served["calls"]] == [c.tool for c in result.records[0].calls]


@pytest.mark.parametrize("name", PROPOSING)
def test_without_a_language_model_nothing_is_begun(suite: Suite, tmp_path: Path, name: str) -> None:
    for given in (["--lm", "gold"], ["--proposer", "gold"], ["--lm", "gold", "--dry-run"]):
        with pytest.raises(InputError, match="a language model propose instructions") as caught:
            run(suite.path, "--out", tmp_path / "program.json", "--optimizer", name, *given)
        assert "--proposer" in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_who_proposes_is_not_named_for_nothing(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no instructions proposed"):
        run(suite.path, "--out", tmp_path / "program.json", "--proposer", "openai/gpt-4o-mini")


@pytest.mark.parametrize("name", PROPOSING)
def test_a_dry_run_says_how_many_proposals_there_are_at_most(
    suite: Suite, tmp_path: Path, server: ChatServer, name: str
) -> None:
    who = proposer(name)
    arguments = ["--optimizer", name, *who, *SMALL, "--dry-run", "--json"]
    foretold = json.loads(run(suite.path, "--out", tmp_path / "program.json", *arguments).stdout)

    assert foretold["proposer"] == who[1]
    assert foretold["proposer_calls_at_most"] > 0
    assert server.bodies == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dspy:COPRO", "dspy:GEPA"])
def test_house_rules_are_not_the_proposers_business(
    suite: Suite, tmp_path: Path, server: ChatServer, name: str
) -> None:
    file, who = tmp_path / "program.json", proposer(name)
    run(suite.path, "--out", file, "--optimizer", name, *who, *SMALL, "--no-track")
    artifact = Artifact.read(file)
    rules = suite.env.kind.house_rules

    assert rules
    assert server.bodies
    for body in server.bodies:
        assert not any(rules in str(message["content"]) for message in body["messages"])
    assert not any(rules in part.signature.model_dump_json() for part in artifact.state.values())
    assert artifact.manifest.models["proposer"] == who[1]
    # COPRO asks for several completions in one request.
    assert artifact.manifest.cost["proposer"]["model_calls"] >= len(server.bodies)


def test_a_comparison_without_a_language_model_is_not_begun(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a language model propose instructions"):
        called("compare", suite.path, "--optimizers", "none,dspy:GEPA", "--lm", "gold", "--no-track")
