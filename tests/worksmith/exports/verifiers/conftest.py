from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat_server import chat_server
from tests.programs.office import make_env
from tests.programs.own_agents.test_program import DONE
from tests.worksmith.exports.verifiers.worker import Worker
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.suite import write_suite
from worksmith.programs.own_agents.sessions import Sessions


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a suite with four meetings to cancel."""
    env = make_env(tmp_path_factory.mktemp("suites") / "Büro 1")
    return write_suite(env.world, DONE).path


@pytest.fixture
def worker() -> Iterator[Worker]:
    with chat_server(Worker) as server:
        assert isinstance(server, Worker)
        yield server


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[EpisodeRecord]:
    """The records of all sessions that were opened here and ended."""
    records: list[EpisodeRecord] = []
    close = Sessions._close

    def kept(*arguments: object) -> EpisodeRecord:
        records.append(close(*arguments))  # type: ignore[arg-type]
        return records[-1]

    monkeypatch.setattr(Sessions, "_close", kept)
    return records
