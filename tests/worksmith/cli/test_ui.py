from __future__ import annotations

import socket
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from worksmith.cli.runs import ui
from worksmith.tools.errors import InputError


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    made.command()(ui.open_ui)
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def serve(command: list[str]) -> int:
        commands.append(command)
        return 0

    monkeypatch.setattr(ui, "_serve", serve)
    return commands


def test_the_page_is_for_this_machine_only(
    app: typer.Typer, started: list[list[str]], tmp_path: Path
) -> None:
    (tmp_path / "mlflow.db").touch()
    result = CliRunner().invoke(app, ["--port", "5123", "--tracking-uri", f"sqlite:///{tmp_path}/mlflow.db"])

    assert result.exit_code == 0, result.output
    assert "http://127.0.0.1:5123" in result.output
    command = started[0]
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == "5123"
    assert command[command.index("--backend-store-uri") + 1] == f"sqlite:///{tmp_path}/mlflow.db"


def test_without_runs_there_is_nothing_to_show(
    app: typer.Typer, started: list[list[str]], tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, ["--tracking-uri", f"sqlite:///{tmp_path}/none.db"])

    assert isinstance(result.exception, InputError)
    assert "no runs are recorded" in str(result.exception)
    assert not list(tmp_path.iterdir())
    assert started == []


def test_a_taken_port_is_named(app: typer.Typer, started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    with socket.socket() as taken:
        taken.bind((ui.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(
            app, ["--port", str(port), "--tracking-uri", f"sqlite:///{tmp_path}/mlflow.db"]
        )

    assert isinstance(result.exception, InputError)
    assert str(port) in str(result.exception)


def test_a_server_is_only_pointed_at(app: typer.Typer, started: list[list[str]]) -> None:
    result = CliRunner().invoke(app, ["--tracking-uri", "http://mlflow.example:5000"])

    assert "http://mlflow.example:5000" in result.output
    assert started == []


@pytest.mark.parametrize("address", ["magic://x", "mlruns"])
def test_an_address_that_is_none_starts_nothing(
    app: typer.Typer, started: list[list[str]], address: str
) -> None:
    result = CliRunner().invoke(app, ["--tracking-uri", address])

    assert isinstance(result.exception, InputError)
    assert address in str(result.exception)
    assert started == []
