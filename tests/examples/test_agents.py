"""Agents of other frameworks, as in examples/agents, over HTTP."""

from __future__ import annotations

import json
import os
import runpy
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.student import SUITES
from tests.e2e.conftest import invoke
from tests.e2e.serving import Server, serving
from tests.e2e.suites import KINDS, make_suite

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "examples" / "agents"
ENGINE, TOKEN = "benchmarks.support.student:gold", "a-token-for-tests-only"
NAMES = tuple(sorted(file.stem for file in AGENTS.glob("*.py") if file.stem != "command_loop"))
LIMITS = {"enterprise": 4}
PAIRS = [
    *(("openai_loop", kind) for kind in KINDS),
    *((name, list(KINDS)[number % len(KINDS)]) for number, name in enumerate(NAMES) if name != "openai_loop"),
]
"""One agent in every world, and every agent in one."""


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("suites")
    return {kind: make_suite(kind, folder / kind.replace(" ", "_")) for kind in KINDS}


@pytest.fixture(scope="module")
def office(suites: dict[str, Path]) -> Path:
    return suites["office"]


@pytest.fixture(scope="module")
def server(suites: dict[str, Path]) -> Iterator[Server]:
    folders = os.pathsep.join(map(str, suites.values()))
    environment = {SUITES: folders, "WORKSMITH_SERVE_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)}
    with serving(ENGINE, command="model", environment=environment) as running:
        yield running


@pytest.fixture(autouse=True)
def reachable(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    for name in NAMES:
        monkeypatch.delitem(sys.modules, f"examples.agents.{name}", raising=False)  # it made its client
    for name, value in {
        "OPENAI_BASE_URL": server.line["url"],
        "OPENAI_API_KEY": TOKEN,
        "AGENT_MODEL": ENGINE,
        "AGENT_COMMAND": f"{sys.executable} {AGENTS / 'command_loop.py'}",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)


def test_every_example_is_short_and_has_its_place_in_the_docs() -> None:
    page = (ROOT / "docs" / "how-to" / "own-agent.md").read_text()

    assert {file.name for file in AGENTS.glob("*.py") if len(file.read_text().splitlines()) > 60} == set()
    assert [name for name in NAMES if f"examples/agents/{name}.py" not in page] == []


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_an_agent_solves_tasks_over_http(suites: dict[str, Path], name: str, kind: str) -> None:
    lm = ["--lm", f"openai/{ENGINE}"] if name == "dspy_react" else []
    # All tools of an enterprise are a long list; of its tasks one is to be denied.
    tools = ["--toolset", "all"] if kind == "enterprise" else []
    limit = 1 if name == "command" else LIMITS.get(kind, 1)  # each command loads its libraries anew
    options = ("--agent", f"examples.agents.{name}:agent", *lm, *tools, "--limit", limit)
    result = invoke("eval", suites[kind], *options, "--no-track", "--json")

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout.splitlines()[-1])
    assert {(row["status"], row["error"], row["correct"]) for row in found["rows"]} == {
        ("finished", None, True)
    }
    totals = found["runs"][0]["summary"]["totals"]
    assert totals["model_calls"] > len(found["rows"])
    assert totals["used_tokens"] > 10 * totals["model_calls"]


def test_a_dry_run_claims_nothing_about_the_calls_of_agents(office: Path) -> None:
    agent = ("--agent", "examples.agents.openai_loop:agent", "--dry-run", "--limit", 4)

    alone = invoke("eval", office, *agent, "--json")
    said = invoke("eval", office, *agent).stdout
    beside = invoke("compare", office, *agent, "--strategies", "act", "--optimizers", "none", "--json")

    assert json.loads(alone.stdout)["model_calls_at_most"] is None
    assert "as many model calls as the agent makes" in said
    compared = json.loads(beside.stdout)
    assert compared["model_calls_at_most"] == 4 * 21
    assert compared["without_calls_of"] == ["examples.agents.openai_loop:agent"]


def test_a_command_that_dies_is_the_agents_failure(office: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_COMMAND", "false")
    choice = ("--agent", "examples.agents.command:agent", "--limit", 2, "--no-track", "--json")
    result = invoke("eval", office, *choice)

    rows = json.loads(result.stdout)["rows"]
    assert {row["status"] for row in rows} == {"program_error"}
    assert all("ended without an answer" in row["error"] for row in rows)


def test_agents_stand_beside_strategies_in_a_comparison(suites: dict[str, Path]) -> None:
    programs = ("--agent", "examples.agents.openai_loop:agent", "--strategies", "react", "--prompt", "native")
    models = ("--lm", f"openai/{ENGINE}", "--teacher", "gold", "--optimizers", "none")
    result = invoke("compare", suites["own data"], *programs, *models, "--limit", 2, "--no-track", "--json")

    assert result.exit_code == 0, result.output
    rows = {row["label"]: row for row in json.loads(result.stdout.splitlines()[-1])["rows"]}
    for name in ("react", "examples.agents.openai_loop:agent"):
        score, means = rows[name]["scores"]["outcome"], rows[name]["means"]
        assert (score["value"], score["n"], rows[name]["errors"]) == (1.0, 2, 0)
        assert means["used_tokens"] > 10 * means["model_calls"]


@pytest.fixture
def verifiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """verifiers is there, and keeps its folders of rollouts here."""
    pytest.importorskip("verifiers.v1")
    monkeypatch.setattr("verifiers.v1.runtimes.subprocess.CACHE_DIR", tmp_path / "cache")
    monkeypatch.setattr("verifiers.v1.cli.eval.main.install_interrupt", lambda: None)
    asked, look_up = set(), socket.getaddrinfo

    def noted(host: Any, *arguments: Any, **more: Any) -> Any:
        asked.add(str(host))
        return look_up(host, *arguments, **more)

    monkeypatch.setenv("PRIME_API_KEY", "a-key-of-nobody")
    monkeypatch.setattr(socket, "getaddrinfo", noted)
    yield
    assert asked <= {"127.0.0.1", "localhost"}  # nothing is sent to Prime Intellect, not even with a key


@pytest.mark.usefixtures("verifiers")
def test_the_runner_of_verifiers_takes_an_exported_suite_unchanged(
    office: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifiers.v1.cli.eval.main import main

    result = invoke("export", "verifiers", office, "--limit", 2, "--out", "package", "--json")
    assert json.loads(result.stdout)["tasks"] == 2
    monkeypatch.syspath_prepend("package")
    asked = ["--client.base-url", server.line["url"], "--client.api-key-var", "OPENAI_API_KEY"]
    main(["@", "package/eval.toml", "--model", ENGINE, *asked, "--num-rollouts", "2", "--no-rich"])

    (log,) = tmp_path.glob("outputs/*/traces.jsonl")
    traces = [trace for line in log.read_text().splitlines() for trace in json.loads(line)["traces"]]
    assert [trace["rewards"]["outcome"]["score"] for trace in traces] == [1.0] * 4
    assert list(tmp_path.glob("cache/runtimes/subprocess/*")) == []


@pytest.mark.usefixtures("verifiers")
def test_a_trainer_gets_groups_of_rollouts(
    office: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = AGENTS.parent / "verifiers_trainer.py"
    monkeypatch.setattr(sys, "argv", [str(example), str(office), "2"])
    runpy.run_path(str(example), run_name="__main__")

    steps = capsys.readouterr().out.splitlines()
    assert [step.split()[0] for step in steps] == ["8"]
    assert steps[0].endswith("mean reward 1.00")
    assert len(example.read_text().splitlines()) <= 60
