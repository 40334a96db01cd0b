"""Agents of other frameworks, as in examples/agents, over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.conftest import invoke
from tests.e2e.serving import Server, serving
from tests.examples.gold_plans import SUITE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
AGENTS = ROOT / "examples" / "agents"
ENGINE, TOKEN = "tests.examples.gold_plans:engine", "a-token-for-tests-only"
NEEDS = {
    "openai_loop": "openai",
    "dspy_react": "dspy",
    "langgraph_react": "langgraph",
    "openai_agents": "agents",
    "pydantic_agent": "pydantic_ai",
    "command": "openai",
    "mcp_client": "mcp",
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("suites") / "office"
    result = invoke("suite", "build", "office", "--scale", 0.3, "--per-intent", 3, "--out", out)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def server(office: Path) -> Iterator[Server]:
    environment = {SUITE: str(office), "WORKSMITH_SERVE_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)}
    with serving(ENGINE, command="model", environment=environment) as running:
        yield running


@pytest.fixture(autouse=True)
def reachable(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    for name, value in {
        "OPENAI_BASE_URL": server.line["url"],
        "OPENAI_API_KEY": TOKEN,
        "AGENT_MODEL": ENGINE,
        "AGENT_COMMAND": f"{sys.executable} {AGENTS / 'command_loop.py'}",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)


def test_every_example_is_short_and_tried() -> None:
    files = {file.stem: file for file in AGENTS.glob("*.py")}

    assert files.keys() == NEEDS.keys() | {"command_loop"}
    assert {name for name, file in files.items() if len(file.read_text().splitlines()) > 60} == set()


@pytest.mark.parametrize("name", NEEDS)
def test_an_agent_solves_tasks_over_http(office: Path, name: str) -> None:
    if find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    lm = ["--lm", f"openai/{ENGINE}"] if name == "dspy_react" else []
    result = invoke(
        "eval", office, "--agent", f"examples.agents.{name}:agent", *lm, "--limit", 4, "--no-track", "--json"
    )

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert {(row["status"], row["error"], row["correct"]) for row in found["rows"]} == {
        ("finished", None, True)
    }
    assert found["runs"][0]["summary"]["totals"]["model_calls"] > 4


def test_a_command_that_dies_is_the_agents_failure(office: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_COMMAND", "false")
    choice = ("--agent", "examples.agents.command:agent", "--limit", 2, "--no-track", "--json")
    result = invoke("eval", office, *choice)

    rows = json.loads(result.stdout)["rows"]
    assert {row["status"] for row in rows} == {"program_error"}
    assert all("ended without an answer" in row["error"] for row in rows)


def test_agents_stand_beside_strategies_in_a_comparison(office: Path) -> None:
    arms = ("--strategies", "react", "--optimizers", "none", "--agent", "examples.agents.openai_loop:agent")
    result = invoke("compare", office, *arms, "--limit", 8, "--no-track", "--json")

    assert result.exit_code == 0, result.output
    rows = {row["label"]: row for row in json.loads(result.stdout)["rows"]}
    assert rows["examples.agents.openai_loop:agent"]["model"] == "own"
    assert rows["examples.agents.openai_loop:agent"]["scores"]["outcome"]["value"] == 1.0
    assert rows["react"]["model"].startswith("local/analogy")
