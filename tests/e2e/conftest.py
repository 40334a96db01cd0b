"""A small suite built through the command line, and a way to call commands as a user would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.made_once import made_once, shared
from worksmith.cli.app import app

Call = Callable[..., Result]


def invoke(*arguments: object) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def built(name: str, *options: object) -> Path:
    """A suite that is built once for all processes of a test run; tests do not change it."""

    out = shared(f"e2e-{name}") / name

    def build() -> None:
        result = invoke("suite", "build", name, *options, "--out", out)
        assert result.exit_code == 0, result.output

    made_once(f"e2e-{name}", build)
    return out


@pytest.fixture(scope="session")
def office() -> Path:
    """A suite with two train tasks or so an intent."""
    return built("office", "--seed", 7, "--scale", 0.5, "--per-intent", 4)


@pytest.fixture(scope="session")
def enterprise() -> Path:
    """The smallest enterprise that is of use, with an index by the fast model."""
    return built("enterprise", "--scale", 0.02, "--index", "static")


@pytest.fixture(scope="session")
def crm() -> Path:
    """A small company's org, with clean data."""
    return built("crm", "--scale", 0.05)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory, so that logs and the MLflow store go nowhere else."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
