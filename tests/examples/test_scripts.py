"""Every example is short, is in the table of `examples/README.md`, and prints its result."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.serving import clean_environment
from tests.stores import new_store
from tests.worksmith.training.tiny import write_tiny_model

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = {"retail"}
"""What makes a project of files in another form."""

PRINTED = {
    "own_data.py": r"Compiling with knn lifted act from 0\.0 to",
    "own_dspy_program.py": r"before +0\.0 % .*\nafter +100\.0 %",
    "own_judge.py": r"own_judge:model +\d",
    "own_optimizer.py": r"Compiling with one-of-each lifted act from 0\.0 to",
    "own_strategy.py": r"(?m)^ ?vote +\d",
}
"""What is in the output where the stand-in answers."""


def test_all_are_short_and_in_the_table() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 40
    linked = {link.partition("/")[0] for link in re.findall(r"\]\(([^)]+)\)", page)}
    there = {each.name for each in EXAMPLES.iterdir()} - {"README.md", "__pycache__"}
    assert linked - {".."} == there
    lengths = {
        file: len(file.read_text(encoding="utf-8").splitlines())
        for file in [*EXAMPLES.rglob("*.py"), *EXAMPLES.rglob("*.sh")]
        if file.parent.name not in LONG
    }
    assert {file: lines for file, lines in lengths.items() if lines > 80} == {}


@pytest.mark.parametrize("name", PRINTED)
def test_a_script_prints_its_result(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", [name])
    new_store(tmp_path / "mlruns" / "mlflow.db")
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert re.search(PRINTED[name], capsys.readouterr().out)


def _run(tmp_path: Path, *command: object) -> str:
    """What a command prints, for which `worksmith` is on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "worksmith").write_text(f'#!/bin/sh\nexec {sys.executable} -m worksmith.cli "$@"\n')
    (folder / "worksmith").chmod(0o755)
    environment = clean_environment()
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_served_agent_proposes_changes_that_are_approved(tmp_path: Path) -> None:
    said = _run(tmp_path, sys.executable, EXAMPLES / "serving.py", "--lm", "tests.standin:lm")
    assert '"status": "cancelled"' in said
    assert said.endswith("approved: approved\n")


@pytest.mark.slow
def test_a_trained_model_is_evaluated(tmp_path: Path) -> None:
    tiny = ("--model", write_tiny_model(tmp_path / "base"), "--max-steps", 1)
    said = _run(tmp_path, "sh", EXAMPLES / "training.sh", *tiny)
    assert re.search(r"(?m)^loss +first", said)
    assert re.search(r"Outcome .* on 4 tasks", said)
