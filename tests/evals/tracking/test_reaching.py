from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from worksmith.evals.tracking.opening import open_tracker
from worksmith.evals.tracking.reaching import TrackingError
from worksmith.evals.tracking.store import existing_store


def _random(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 100)


def _damaged(file: Path) -> None:
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE t (x)")
        made.commit()
    data = bytearray(file.read_bytes())
    data[100:200] = b"\xff" * 100
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "it is not a file"),
        (os.mkfifo, "it is not a file"),
        (lambda file: file.symlink_to(file), "Too many levels of symbolic links"),
        (_random, "file is not a database"),
        (_damaged, "malformed"),
    ],
)
def test_a_store_that_cannot_be_used_is_said_at_once(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    file = tmp_path / "mlflow.db"
    make(file)
    for use in (open_tracker, existing_store):
        with pytest.raises(
            TrackingError, match=rf"mlflow\.db: the MLflow store cannot be used: .*{said}"
        ) as caught:
            use(f"sqlite:///{file}")
        assert "--tracking-uri" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_looking_for_a_store_makes_none(tmp_path: Path) -> None:
    assert existing_store(f"sqlite:///{tmp_path}/mlflow.db") is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["http", "https", "postgresql", "mysql+pymysql"])
def test_a_server_that_nobody_runs_is_said_at_once(scheme: str) -> None:
    with closing(socket.socket()) as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        address = f"{scheme}://somebody:secret@127.0.0.1:{taken.getsockname()[1]}/mlflow"
        with pytest.raises(TrackingError, match="cannot be used: Connection refused") as caught:
            open_tracker(address)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as silent,
        pytest.raises(TrackingError, match="no answer within 5 s"),
    ):
        open_tracker(f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert "MLFLOW_HTTP_REQUEST_TIMEOUT" not in os.environ
