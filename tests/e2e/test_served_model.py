"""`worksmith serve model`: what is compiled and measured over HTTP is what it is in this process."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests import standin
from tests.e2e.conftest import invoke
from tests.e2e.serving import Server, serving
from worksmith.evals.records.logs.log import read_log

pytestmark = pytest.mark.slow

TOKEN = "a-token-for-tests-only"
KEY = "WORKSMITH_SERVE_TOKEN"
HERE, THERE = standin.NAME, "there"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(HERE, command="model", environment={KEY: TOKEN}) as running:
        yield running


@pytest.fixture
def named(here: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose project file names the served model."""
    monkeypatch.setenv(KEY, TOKEN)
    lines = ["[models.there]", f'model = "openai/{HERE}"', f'api_base = "{server.line["url"]}"']
    (here / "worksmith.toml").write_text("\n".join([*lines, f'api_key_env = "{KEY}"']))
    return here


def run(*arguments: object) -> None:
    result = invoke(*arguments, "--no-track")
    assert result.exit_code == 0, result.output


def outcomes(log: Path) -> dict[Any, dict[str, Any]]:
    """All of each episode that does not say how long it took, or what its model is called."""
    found = {}
    for record in read_log(log):
        data = record.model_dump(mode="json", exclude={"key", "seconds", "digests"})
        for step in (*data["asks"], *data["calls"]):
            del step["seconds"]
        found[record.task_id, record.strategy, record.trial] = data
    return found


def compiled(file: Path) -> tuple[Any, Any]:
    """The state of a program, and the dev scores of its candidates."""
    data = json.loads(file.read_text())
    trials = [(trial["name"], trial["scores"], trial["costs"]) for trial in data["manifest"]["trials"]]
    return data["state"], trials


def test_an_office_is_compiled_and_measured_alike(named: Path, office: Path) -> None:
    for lm, name in ((HERE, "here"), (THERE, "there")):
        tasks = ("--train-limit", 40, "--dev-limit", 3)
        choice = ("--optimizer", "bootstrap", "--demos", 12, "--candidates", 1, "--accept", "best", *tasks)
        run("compile", office, "--lm", lm, "--teacher", "gold", *choice, "--out", f"{name}.json")
        run("eval", office, "--lm", lm, "--program", f"{name}.json", "--limit", 10, "--log", f"{name}.jsonl")

    assert compiled(named / "there.json") == compiled(named / "here.json")
    here, there = outcomes(named / "here.jsonl"), outcomes(named / "there.jsonl")
    assert here == there
    assert 0 < sum(episode["scores"]["outcome"] for episode in here.values()) < len(here)


@pytest.mark.parametrize("strategy", ["plan", "function_calling"])
def test_every_form_of_prompt_arrives_as_it_was_sent(named: Path, office: Path, strategy: str) -> None:
    tasks = ("--train-limit", 20, "--dev-limit", 2)
    choice = ("--strategy", strategy, "--optimizer", "knn", "--demos", 4, "--accept", "best", *tasks)
    run("compile", office, "--lm", HERE, "--teacher", "gold", *choice, "--out", "program.json")
    for lm, log in ((HERE, "here.jsonl"), (THERE, "there.jsonl")):
        run("eval", office, "--lm", lm, "--program", "program.json", "--limit", 4, "--log", log)

    assert outcomes(named / "here.jsonl") == outcomes(named / "there.jsonl")


def test_people_of_an_enterprise_are_served_alike_through_the_environment(
    named: Path, enterprise: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.line["url"])  # so that DSPy asks through LiteLLM
    monkeypatch.setenv("OPENAI_API_KEY", TOKEN)
    tasks = ("--train-limit", 40, "--dev-limit", 2)
    choice = ("--optimizer", "knn", "--demos", 4, "--accept", "best", *tasks)
    run("compile", enterprise, "--lm", HERE, "--teacher", "gold", *choice, "--out", "program.json")
    for lm, log in ((HERE, "here.jsonl"), (f"openai/{HERE}", "there.jsonl")):
        run("eval", enterprise, "--lm", lm, "--program", "program.json", "--limit", 6, "--log", log)

    here, there = outcomes(named / "here.jsonl"), outcomes(named / "there.jsonl")
    assert here == there
    assert any(episode["scores"]["outcome"] for episode in here.values())


def test_over_tls_clients_trust_the_certificate_that_it_names() -> None:
    with serving(HERE, "--tls", command="model") as server:
        trusted = ssl.create_default_context(cafile=server.line["certificate"])
        with httpx.Client(verify=trusted, trust_env=False) as http:
            client = openai.OpenAI(
                base_url=server.line["url"], api_key=server.line["token"], http_client=http
            )
            names = [each.id for each in client.models.list()]
        code, said = server.stop(signal.SIGINT)

    assert server.line["url"].startswith("https://")
    assert names == [HERE] == [server.line["model"]]
    assert (code, said) == (0, f"worksmith: --lm: {HERE} is of tests/standin.py\n")


def test_an_engine_of_ones_own_is_served_until_the_server_is_stopped(here: Path) -> None:
    (here / "mine.py").write_text("from tests.standin import Standin\n\nengine = Standin()\n")
    with serving("mine:engine", command="model", environment={"MY_TOKEN": TOKEN}) as server:
        client = openai.OpenAI(base_url=server.line["url"], api_key=server.line["token"])
        said = client.chat.completions.create(
            model="mine:engine", messages=[{"role": "user", "content": "Hello"}]
        )
        ended = server.stop(signal.SIGTERM)

    assert server.line["url"].startswith("http://127.0.0.1:")
    assert said.usage is not None
    assert said.usage.prompt_tokens > 0
    assert ended == (0, "worksmith: --lm: mine:engine is of mine.py\n")


def test_people_are_told_how_to_reach_it_but_not_a_token_they_gave() -> None:
    command = [sys.executable, "-m", "worksmith.cli", "serve", "model", HERE, "--port", "0"]
    process = subprocess.Popen(
        [*command, "--token-env", "MY_TOKEN"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MY_TOKEN": TOKEN},
    )
    assert process.stderr is not None
    _, *lines = [process.stderr.readline() for _ in range(4)]
    process.send_signal(signal.SIGTERM)
    out, rest = process.communicate(timeout=30)

    assert f"openai/{HERE}" in lines[0]
    assert lines[1].startswith("export OPENAI_BASE_URL=http://127.0.0.1:")
    assert TOKEN not in "".join([*lines, rest, out])
    assert (out, process.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (HERE, ["--host", "0.0.0.0"], "other machines could reach"),
        (HERE, ["--host", "0.0.0.0", "--allow-remote"], "over TLS only"),
        (HERE, ["--token-env", "NOBODY_SET_THIS"], "is not set"),
        ("gold", [], "cannot be served"),
        ("replay:runs.jsonl", [], "cannot be served"),
        ("local/none", [], "no local model"),
        ("openai/gpt-4o-mini", [], "is not a local model"),
        ("json:__name__", [], "is a str, and no model"),
        ("nowhere:engine", [], "cannot be imported"),
    ],
)
def test_what_makes_no_sense_is_refused(here: Path, name: str, options: list[str], said: str) -> None:
    result = invoke("serve", "model", name, "--port", 0, *options)

    assert result.exit_code != 0
    assert said in str(result.exception)
    assert list(here.iterdir()) == []
