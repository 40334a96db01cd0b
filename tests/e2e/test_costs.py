"""What runs used and what they paid, from the command line, against a model server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import dspy
import pytest
from dspy.clients.cache import Cache
from typer.testing import CliRunner

from tests.chat_server import ChatServer, chat_server, said
from tests.optimizers.shop import make_suite
from worksmith.cli.app import app
from worksmith.evals.lm.prices import prices_in_use, use_prices
from worksmith.evals.suite import Suite

FINISH = said("[[ ## tool ## ]]\nfinish\n\n[[ ## arguments ## ]]\n{}\n\n[[ ## completed ## ]]")
SEARCH = said(
    "[[ ## tool ## ]]\ncalendar.search_events\n\n"
    '[[ ## arguments ## ]]\n{"query": "alpha"}\n\n[[ ## completed ## ]]'
)
BUSY = {"error": 500, "retry_after": 0}
TOKENS = ("used_tokens", "paid_tokens", "paid_requests")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dspy, "cache", Cache(False, True, str(tmp_path), disk_size_limit_bytes=0))
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    before = prices_in_use()
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        yield server
    use_prices(before)


def command(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in (*arguments, "--no-track")])


def evaluated(suite: Suite, *options: object) -> tuple[str, ...]:
    """An evaluation of a few tasks by a hosted model, as arguments."""
    return ("eval", str(suite.path), "--strategy", "act", "--lm", MODEL, *map(str, options))


MODEL = f"openai/{uuid4()}"


def totals(document: dict[str, Any]) -> list[float]:
    (run,) = document["runs"]
    return [run["summary"]["totals"][name] for name in TOKENS]


@pytest.mark.slow
def test_a_second_run_uses_the_same_tokens_and_pays_none(
    suite: Suite, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSPY_CACHEDIR", str(tmp_path / "cache"))
    monkeypatch.setattr(dspy, "cache", Cache(True, True, str(tmp_path / "cache")))
    server.say(*[SEARCH, FINISH] * 40)

    def arguments(*options: str) -> tuple[str, ...]:
        return evaluated(suite, "--limit", 4, "--workers", 1, "--json", "--no-track", *options)

    def run(*options: str) -> dict[str, Any]:
        done = CliRunner().invoke(app, arguments(*options))
        assert done.exit_code == 0, done.stderr
        return dict(json.loads(done.stdout))

    def run_elsewhere() -> dict[str, Any]:
        command = [sys.executable, "-m", "worksmith.cli", *arguments()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    cold, warm = run(), run_elsewhere()
    assert totals(cold) == [8 * 13, 8 * 13, 8]
    assert totals(warm) == [8 * 13, 0, 0]
    assert [row["used_tokens"] for row in warm["rows"]] == [row["used_tokens"] for row in cold["rows"]]
    assert len(server.bodies) == 8

    assert totals(run("--no-cache")) == totals(cold)
    assert len(server.bodies) == 16
    with chat_server() as other:
        other.say(*[FINISH] * 4)
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        monkeypatch.setenv("OPENAI_API_BASE", other.url)
        assert totals(run()) == [4 * 13, 4 * 13, 4]
        assert len(other.bodies) == 4


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_a_limit_of_calls_counts_every_try(suite: Suite, server: ChatServer, workers: int) -> None:
    server.say(*[BUSY, BUSY, FINISH] * 40)
    done = command(*evaluated(suite, "--max-calls", 10, "--workers", workers, "--no-cache", "--json"))

    assert done.exit_code == 3, done.stderr
    assert "--max-calls" in done.stderr
    assert 7 <= len(server.bodies) <= 10 + workers - 1
    said_paid = totals(json.loads(done.stdout))[2]
    assert said_paid == len(server.bodies)
