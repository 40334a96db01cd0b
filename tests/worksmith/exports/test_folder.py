"""The folder of an export."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import invoke
from tests.programs.office import make_env
from tools.errors import InputError


def test_an_export_never_writes_over_its_suite(tmp_path: Path) -> None:
    make_env(tmp_path / "office")
    before = {file: file.read_bytes() for file in (tmp_path / "office").iterdir() if file.is_file()}
    result = invoke(
        "export", "dspy", tmp_path / "office", "--out", tmp_path / "x" / ".." / "office", "--force"
    )

    assert isinstance(result.exception, InputError)
    assert "the suite itself is there" in str(result.exception)
    assert {f: f.read_bytes() for f in (tmp_path / "office").iterdir() if f.is_file()} == before


def test_a_package_is_named_after_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("verifiers")
    make_env(tmp_path / "office")
    for out in ("for training", "Ä 'n' {b}"):
        assert (
            invoke(
                "export", "verifiers", tmp_path / "office", "--split", "all", "--out", tmp_path / out
            ).exit_code
            == 0
        )

    modules = sorted(file.name for file in tmp_path.glob("*/*.py"))
    assert modules == ["worksmith_for_training_tasks.py", "worksmith_n_b_tasks.py"]
    for file in tmp_path.glob("*/*.py"):
        compile(file.read_text(), file.name, "exec")
