"""A small suite built through the command line, and a way to call commands as a user would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from worksmith.cli.app import app

Call = Callable[..., Result]


def invoke(*arguments: object) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with two train tasks or so an intent."""
    out = tmp_path_factory.mktemp("suites") / "office"
    result = invoke("suite", "build", "office", "--seed", 7, "--scale", 0.5, "--per-intent", 4, "--out", out)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="session")
def enterprise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest enterprise that is of use, with an index by the fast model."""
    out = tmp_path_factory.mktemp("suites") / "enterprise"
    result = invoke("suite", "build", "enterprise", "--scale", 0.02, "--index", "static", "--out", out)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory, so that logs and the MLflow store go nowhere else."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
