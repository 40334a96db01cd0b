"""The folder of an export."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.e2e.conftest import invoke
from tests.programs.office import make_env
from worksmith.tools.errors import InputError


def test_an_export_writes_over_nothing_unasked_and_never_over_its_suite(tmp_path: Path) -> None:
    make_env(tmp_path / "office")
    before = {file: file.read_bytes() for file in (tmp_path / "office").iterdir() if file.is_file()}
    result = invoke(
        "export", "dspy", tmp_path / "office", "--out", tmp_path / "x" / ".." / "office", "--force"
    )

    assert isinstance(result.exception, InputError)
    assert "the suite itself is there" in str(result.exception)
    assert {f: f.read_bytes() for f in (tmp_path / "office").iterdir() if f.is_file()} == before

    (mine := tmp_path / "out" / "metric.py").parent.mkdir()
    mine.write_text("mine")
    command = ("export", "dspy", tmp_path / "office", "--split", "all", "--out", mine.parent)
    assert isinstance(invoke(*command).exception, InputError)
    assert mine.read_text() == "mine"
    assert invoke(*command, "--force").exit_code == 0
    assert "Episodes" in mine.read_text()


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


TRICKS = ('a""" + print("run") + """b', "a\\'); print('run'); ('b", "a\nprint('run')")
"""Ends of texts of each form, with code behind them."""


@pytest.mark.parametrize("form", ["dspy", "inspect", "verifiers"])
def test_the_name_of_a_folder_is_no_code(tmp_path: Path, form: str) -> None:
    pytest.importorskip({"inspect": "inspect_ai"}.get(form, form))
    make_env(tmp_path / (name := "".join(TRICKS)))
    result = invoke("export", form, tmp_path / name, "--split", "all", "--out", tmp_path / "out")

    assert result.exit_code == 0, result.output
    (file,) = (tmp_path / "out").glob("*.py")
    calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    assert "print" not in {func.id for func in calls if isinstance(func, ast.Name)}
