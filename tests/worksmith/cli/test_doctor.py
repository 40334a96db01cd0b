"""The doctor says what is wrong and what to do, asks only when it may, and shows no key."""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.chat_server import ChatServer, said
from tests.optimizers.shop import make_suite
from tests.worksmith.commands import called
from worksmith.evals.suite import Suite
from worksmith.models.named import use_models

KEY = "q7Zr93kLm20aXw"
MODEL = "openai/gpt-4o-mini"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, a key, no proxy and no store."""
    monkeypatch.chdir(tmp_path)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DSPY_CACHEDIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    yield tmp_path
    use_models({})


def doctor(*arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and the checks by name; no key is shown."""
    done = called("doctor", *arguments, "--json")
    assert KEY not in done.output, done.output
    return done.exit_code, {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_an_empty_machine_is_told_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    code, checks = doctor()

    assert code == 0
    assert checks["models"]["status"] == "warning"
    assert "worksmith doctor openai/gpt-4o-mini" in checks["models"]["remedy"]
    assert {checks[name]["status"] for name in ("python", "packages", "disk", "MLflow")} == {"ok"}


def test_nothing_is_asked_without_leave(server: ChatServer) -> None:
    code, checks = doctor(f"{MODEL} api_base={server.url}")

    assert code == 0
    assert (checks["connection"]["said"], checks["connection"]["status"]) == ("not asked", "warning")
    assert not server.bodies


@pytest.mark.parametrize(("answer", "asked"), [("y", 1), ("n", 0)])
def test_in_a_terminal_the_person_decides(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, answer: str, asked: int
) -> None:
    server.say(said("OK"))
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("worksmith.cli.machine.doctor.sys", terminal)
    done = called("doctor", f"{MODEL} api_base={server.url}", input=f"{answer}\n")

    assert done.exit_code == 0
    assert "It costs a fraction of a cent" in done.stderr
    assert len(server.bodies) == asked


def test_a_sound_model_is_asked_once(server: ChatServer, here: Path) -> None:
    server.say(said("OK"))
    (here / "worksmith.toml").write_text(
        f'[models.student]\nmodel = "openai/of-ours"\napi_base = "{server.url}"\n'
        "context_window = 8192\ninput_price = 1\noutput_price = 2\n"
    )
    code, checks = doctor("--yes")

    assert code == 0
    assert len(server.bodies) == 1
    assert checks["connection"]["said"].startswith("answered after")
    assert checks["usage"]["status"] == "ok"
    assert checks["key"]["said"] == "from OPENAI_API_KEY"
    assert checks["context window"]["said"] == "8,192 tokens"
    assert checks["price"]["said"].startswith("1 and 2 dollars")


def test_a_server_that_reports_no_tokens_is_named(server: ChatServer) -> None:
    server.say(said("OK"))
    server.usage = None
    _, checks = doctor(f"openai/of-theirs api_base={server.url}", "--yes")

    assert {checks[name]["status"] for name in ("usage", "price", "context window")} == {"warning"}


def test_a_missing_key_is_told_before_any_request(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    code, checks = doctor(f"{MODEL} api_base={server.url}", "--yes")

    assert code == 1
    assert checks["key"]["said"] == "OPENAI_API_KEY is not set"
    assert "export OPENAI_API_KEY" in checks["key"]["remedy"]
    assert not server.bodies


@pytest.mark.parametrize(
    ("reply", "name", "remedy"),
    [
        ({"error": 401, "said": f"Incorrect API key provided: {KEY}"}, "key", "put a right one in its place"),
        ({"error": 500, "said": "oops"}, "connection", "look at its log"),
    ],
)
def test_what_a_server_refuses_is_told_with_what_to_do(
    server: ChatServer, reply: dict[str, Any], name: str, remedy: str
) -> None:
    server.say(reply)
    code, checks = doctor(f"{MODEL} temperature=0.2 api_base={server.url}", "--yes")
    failed = [check for check in checks.values() if check["status"] == "failure"]

    assert code == 1
    assert [check["name"] for check in failed] == [name]
    assert remedy in failed[0]["remedy"]
    assert len(server.bodies) == 1


def test_a_proxy_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{KEY}@127.0.0.1:{port}")
    monkeypatch.setenv("https_proxy", f"http://me:{KEY}@127.0.0.1:{port}")
    code, checks = doctor(MODEL, "--yes")

    assert code == 1
    assert "refused" in checks["connection"]["said"]
    assert f"check the proxy 127.0.0.1:{port}" in checks["connection"]["remedy"]


@pytest.mark.parametrize("base", ["", " api_base=http://model.invalid/v1"], ids=["https", "http"])
def test_a_proxy_that_never_answers_ends_in_time(base: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        proxy = f"proxy=http://127.0.0.1:{silent.getsockname()[1]}"
        code, checks = doctor(f"{MODEL} {proxy}{base}", "--yes", "--wait", "0.2")

    assert code == 1
    assert time.monotonic() - started < 5
    assert "check the proxy 127.0.0.1" in checks["connection"]["remedy"]


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    free = shutil.disk_usage(".")._replace(free=2**19)
    monkeypatch.setattr("shutil.disk_usage", lambda _: free)
    code, checks = doctor()

    assert code == 1
    assert (checks["disk"]["status"], checks["disk"]["remedy"]) == ("failure", "free some space")


def test_a_store_that_is_damaged_is_told(here: Path) -> None:
    (here / "runs.db").write_text("no database")
    code, checks = doctor("--tracking-uri", "sqlite:///runs.db")

    assert code == 1
    assert "runs.db" in checks["MLflow"]["said"]


def test_the_index_of_a_suite_in_the_folder_is_checked(here: Path) -> None:
    suite: Suite = make_suite(here / "shop")

    assert "search index of shop" in doctor()[1]
    (suite.path / "world.json").write_text("{")
    code, checks = doctor()
    assert code == 1
    assert checks["search index of shop"]["remedy"] == "worksmith index shop makes it again"


def test_mistakes_in_settings_are_findings() -> None:
    code, checks = doctor("openai/x temperture=1", "nothing-of-the-sort")

    assert code == 1
    assert checks["settings"]["status"] == "failure"
