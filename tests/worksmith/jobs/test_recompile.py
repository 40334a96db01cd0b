"""`worksmith recompile` from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests import standin
from tests.worksmith.commands import called, printed, run
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.tools.errors import InputError

FEW = ("--demos", 3, "--candidates", 2)


@pytest.fixture(scope="module")
def old(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("old") / "old.json"
    run(suite.path, "--out", file, "--lm", "gold", "--optimizer", "knn", "--accept", "best", *FEW)
    return file


def recompile(*arguments: object) -> tuple[Result, dict[str, Any]]:
    done = called("recompile", *arguments, *FEW)
    return done, json.loads(done.stdout) if "--json" in arguments else {}


def test_a_program_moves_to_another_model(suite: Suite, old: Path, tmp_path: Path) -> None:
    """It copies what demonstrations show, and does not know how to shift a day by itself."""
    file, before = tmp_path / "new.json", Artifact.read(old)
    moving = (old, "--lm", standin.NAME, "--suite", suite.path, "-o", file, "--no-track")
    said = recompile(*moving, "--json")[1]
    moved, after = said["moved"], Artifact.read(file)

    assert [each["name"] for each in moved["dev"]] == ["gold", standin.NAME]
    assert [each["outcome"]["value"] for each in moved["dev"]] == [1, pytest.approx(2 / 3)]
    assert moved["difference"]["high"] < 0
    assert {each["intent"].split()[0] for each in moved["by_intent"]} == {"Shift"}
    assert {name: part["verdict"] for name, part in said["parts"].items()} == {"demonstrations": "helps"}
    assert (said["chosen"], after.state, after.manifest.start) == (INCUMBENT, before.state, before.digest)
    assert after.manifest.demonstrations == before.manifest.demonstrations
    assert after.manifest.gold
    assert printed("verify", file, "--lm", standin.NAME)["identical"]

    alone = shutil.copy(old, tmp_path / "alone.json")
    told = recompile(alone, *moving[1:], "--force")[0].stdout
    assert "now         tests.standin:lm: 66.7 % (39.1-86.2) of 12 tasks" in told
    assert "journal is not beside it" in told
    assert "demonstrations: helps, +66.7 [+35.4, +98.0] points (12 tasks)" in told
    assert "uncompiled" not in told


def test_a_dry_run_asks_nobody_and_writes_nothing(suite: Suite, old: Path, tmp_path: Path) -> None:
    moving = ("--lm", "openai/gpt-4o-mini", "--suite", suite.path, "-o", tmp_path / "new.json")
    said = recompile(old, *moving, "--dry-run", "--json")[1]

    assert said["episodes_at_most"] == {"teacher": 12, "dev": 48}
    assert not said["forecast"]["measured"]
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("program", "out", "message"),
    [
        ("old.json", "old.json", "the program that is moved lies there"),
        ("tests.optimizers.shop:Clerk", "new.json", "the program is not compiled"),
        ("tasks.jsonl", "new.json", "not a compiled program"),
    ],
)
def test_what_cannot_be_moved_is_bad_input(
    suite: Suite, old: Path, program: str, out: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(old.parent)
    Path("tasks.jsonl").write_text("{}")
    with pytest.raises(InputError, match=message):
        recompile(program, "--lm", "gold", "--suite", suite.path, "-o", out)
