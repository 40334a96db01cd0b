"""What commands say when an option, a place, a model or a file is wrong; and what they leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests import standin
from tests.chat_server import ChatServer, chat_server
from tests.tools.kinds.enterprise.small_world import write_small_world
from tests.worksmith.commands import called
from worksmith import cli
from worksmith.evals.suite import Suite, write_suite
from worksmith.jobs.opening.programs import load_program
from worksmith.tools.errors import InputError, WorksmithError

HOSTED = "openai/gpt-4o-mini"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory and no key, whatever the machine has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def call(*arguments: object) -> Result:
    return called(*arguments, "--no-track")


@pytest.mark.parametrize("command", ["eval", "compare", "run", "score"])
def test_a_way_of_judging_that_is_none_is_refused(suite: Suite, command: str) -> None:
    more = {"run": [suite.tasks[0].id], "score": ["-p", "file"]}.get(command, [])
    with pytest.raises(InputError, match="--ground-truth: no ground truth 'magic'"):
        called(command, suite.path, *more, "--ground-truth", "magic")


@pytest.mark.parametrize("option", [["compare", "--report"], ["compile", "--out"], ["eval", "--log"]])
def test_a_place_that_cannot_be_written_is_named_before_the_work(
    suite: Suite, here: Path, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    (here / "file").touch()
    monkeypatch.setattr(
        "worksmith.evals.running.runner.Workers.run", lambda *_: pytest.fail("an episode was run")
    )
    command, place = option

    with pytest.raises(InputError, match="file/below: cannot write"):
        call(command, suite.path, place, here / "file" / "below")


def test_a_disk_that_fills_up_during_the_work_is_a_sentence(
    suite: Suite, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no device that is full")
    (here / "log.jsonl").symlink_to(full)
    options = [str(suite.path), "--limit", "2", "--log", "log.jsonl", "--no-track"]
    monkeypatch.setattr("sys.argv", ["worksmith", "eval", *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert ended.value.code == 1
    assert "worksmith: log.jsonl: No space left on device (free some space" in capsys.readouterr().err


class _Strict(ChatServer):
    """Knows no key."""

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        self.bodies.append(body)
        return {"error": 401, "said": "no such key"}


@pytest.fixture
def rejected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A key that its provider does not know."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with chat_server(_Strict) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        yield


@pytest.mark.parametrize("options", [["--lm", HOSTED], ["--teacher", HOSTED]])
def test_a_compile_without_a_key_is_refused(suite: Suite, here: Path, options: list[str]) -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        call("compile", suite.path, "--out", "out.json", "--train-limit", 3, "--dev-limit", 2, *options)

    assert not (here / "out.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("rejected")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lm", HOSTED, "--optimizer", "knn"], "so nothing can be compared with it"),
        (["--teacher", HOSTED], f"{HOSTED} taught nothing"),
    ],
)
def test_a_compile_without_its_model_fails_and_says_why(
    suite: Suite, here: Path, options: list[str], said: str
) -> None:
    with pytest.raises(WorksmithError, match=said) as caught:
        call("compile", suite.path, "--out", "out.json", "--train-limit", 3, "--dev-limit", 2, *options)

    assert not isinstance(caught.value, InputError)
    assert "no such key" in str(caught.value)
    assert not (here / "out.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("rejected")
def test_a_comparison_without_one_of_its_models_fails_and_says_why(suite: Suite) -> None:
    models = f"{standin.NAME},{HOSTED}"
    result = call(
        "compare", suite.path, "--lm", models, "--limit", 2, "--strategies", "act", "--optimizers", "none"
    )

    assert result.exit_code == 1
    assert f"act, {HOSTED}: 2 of 2 episodes were lost" in result.stderr
    assert "no such key" in result.stderr
    assert f"act, {standin.NAME}" in result.stdout


def test_what_was_compiled_for_other_tools_is_refused(suite: Suite, here: Path) -> None:
    call("compile", suite.path, "--out", "out.json", "--optimizer", "none", "--dev-limit", 1)
    world = write_small_world(here / "enterprise")
    other = write_suite(world, [])
    with pytest.raises(InputError, match="compiled for a world of the kind office"):
        load_program("out.json", other.env)
    with pytest.raises(InputError, match="its world is of the kind enterprise"):
        call("compare", suite.path, "--train-suite", other.path)


def test_the_arms_of_a_dry_run_are_told_apart(suite: Suite) -> None:
    result = call(
        "compare", suite.path, "--dry-run", "--lm", f"{standin.NAME},gold", "--strategies", "act,react"
    )

    assert f"act, {standin.NAME}; act + bootstrap, {standin.NAME}; react, {standin.NAME};" in result.stdout
