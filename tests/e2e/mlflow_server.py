"""An MLflow server of its own process, as a team has one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 90


@contextmanager
def mlflow_server(folder: Path) -> Iterator[str]:
    """The address of a server for the duration of the block; everything it keeps is in `folder`."""
    port = _free_port()
    store = ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db"]
    store += ["--artifacts-destination", str(folder / "artifacts")]
    place = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *store, *place],
            stdout=log,
            stderr=log,
            env={**os.environ, **quiet},
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(process, address, folder / "server.log")
        yield address
    finally:
        # The server and its worker are a group of processes.
        os.killpg(process.pid, 15)
        process.wait(timeout=SECONDS)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the MLflow server does not answer: {log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
