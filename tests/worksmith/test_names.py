"""The public names: few, lazy, typed."""

from __future__ import annotations

import ast
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import worksmith as ws
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
HEAVY = ("dspy", "mlflow", "torch", "pandas", "numpy", "pydantic", "chromadb", "litellm")


def test_there_are_few_and_all_are_there() -> None:
    assert len(ws.__all__) <= 28
    assert set(dir(ws)) == set(ws.__all__)
    for name in ws.__all__:
        assert getattr(ws, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'evaluations'"):
        _ = ws.evaluations


def test_type_checkers_see_the_same_names_at_the_same_places() -> None:
    tree = ast.parse((ROOT / "worksmith" / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        name.asname: each.module
        for each in ast.walk(block)
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }
    assert seen == ws._PLACES


@each_row("name", [name for name in ws.__all__ if name != "__version__"])
def test_help_shows_the_parameters(name: str) -> None:
    found = getattr(ws, name)
    signature = inspect.signature(found)
    assert signature.parameters
    assert signature.parameters.keys().isdisjoint({"args", "kwargs"})
    assert f"{name}{signature}" in pydoc.plain(pydoc.render_doc(found))


def test_a_class_of_the_users_shows_its_own_parameters() -> None:
    class Clerk(ws.Agent):
        def __init__(self, desk: str) -> None:
            super().__init__(desk)

    assert list(inspect.signature(Clerk).parameters) == ["desk"]
    assert "strategy" not in inspect.signature(ws.Agent("react")).parameters


def test_nothing_heavy_is_loaded_before_a_name_is_used() -> None:
    code = "import sys, worksmith; print([name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_package_is_typed() -> None:
    assert (ROOT / "worksmith" / "py.typed").is_file()


def test_the_script_that_mypy_checks_has_every_public_name() -> None:
    script = Path(__file__).with_name("users_script.py").read_text()
    assert all(f"ws.{name}" in script for name in ws.__all__)
