from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.worksmith.commands import called, shown
from worksmith.cli.runs import ui
from worksmith.tools.errors import InputError


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def serve(command: list[str]) -> int:
        commands.append(command)
        return 0

    monkeypatch.setattr(ui, "_serve", serve)
    return commands


def test_the_page_is_for_this_machine_only(started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    store = f"sqlite:///{tmp_path}/mlflow.db"
    assert "http://127.0.0.1:5123" in called("ui", "--port", 5123, "--tracking-uri", store).output
    command = started[0]
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == "5123"
    assert command[command.index("--backend-store-uri") + 1] == store


def test_without_runs_there_is_nothing_to_show(started: list[list[str]], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no runs are recorded"):
        called("ui", "--tracking-uri", f"sqlite:///{tmp_path}/none.db")
    assert not list(tmp_path.iterdir())
    assert started == []


def test_a_taken_port_is_named(started: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    with socket.socket() as taken:
        taken.bind((ui.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=str(port)):
            called("ui", "--port", port, "--tracking-uri", f"sqlite:///{tmp_path}/mlflow.db")


def test_a_server_is_only_pointed_at(started: list[list[str]]) -> None:
    assert "http://mlflow.example:5000" in shown("ui", "--tracking-uri", "http://mlflow.example:5000")
    assert started == []


@pytest.mark.parametrize("address", ["magic://x", "mlruns"])
def test_an_address_that_is_none_starts_nothing(started: list[list[str]], address: str) -> None:
    with pytest.raises(InputError, match=address):
        called("ui", "--tracking-uri", address)
    assert started == []
