"""The servers that a team shares, each of its own process: PostgreSQL, and MLflow with or without it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.stores import new_store

SECONDS = 240
POSTGRES = Path(
    next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), "")
    if shutil.which("initdb") is None
    else str(Path(str(shutil.which("initdb"))).parent)
)


def mlflow_command(store: str, artifacts: str, host: str, port: int, workers: int = 1) -> list[str]:
    """The command of a server; that of `examples/compose.yaml` is the same, with a log-in."""
    kept = ["--backend-store-uri", store, "--artifacts-destination", artifacts]
    return ["mlflow", "server", *kept, "--host", host, "--port", str(port), "--workers", str(workers)]


LOG_IN = ("--app-name", "basic-auth")
"""The options of a server with users."""


def users_file(database: str) -> str:
    """The settings of a server's users, who are in a database of their own."""
    return (
        "[mlflow]\n"
        "default_permission = READ\n"
        f"database_uri = {database}/users\n"
        "admin_username = team\n"
        "auth_cache_ttl_seconds = 60\n"
        "authorization_function = mlflow.server.auth:authenticate_request_basic_auth\n"
    )


@contextmanager
def mlflow_server(
    folder: Path,
    *options: str,
    store: str | None = None,
    artifacts: str | None = None,
    environment: Mapping[str, str] = {},
) -> Iterator[str]:
    """The address of a server for the duration of the block.

    Args:
        folder: for its log, and for what has no other place.
        options: further options of `mlflow server`.
        store: the address of its database.
        artifacts: the address of its object store.
        environment: further variables.
    """
    port = free_port()
    store = store or new_store(folder / "mlflow.db")
    command = mlflow_command(store, artifacts or str(folder / "artifacts"), "127.0.0.1", port)
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, *options],
            stdout=log,
            stderr=log,
            env={**os.environ, **quiet, **environment},
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(process, address, folder / "server.log")
        yield address
    finally:
        # The server and its worker are a group of processes.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=SECONDS)


@contextmanager
def object_store(bucket: str) -> Iterator[dict[str, str]]:
    """The variables by which MLflow finds an S3 server in this process, which has a bucket; skips without."""
    moto = pytest.importorskip("moto.server", reason="the S3 server of tests is not installed: moto")
    server = moto.ThreadedMotoServer("127.0.0.1", free_port(), verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        found = {
            "MLFLOW_S3_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "team",
            "AWS_SECRET_ACCESS_KEY": "secret-of-tests",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        bucket_client(found).create_bucket(Bucket=bucket)
        yield found
    finally:
        server.stop()


def bucket_client(environment: Mapping[str, str]) -> Any:
    """A client of the S3 server that the variables name."""
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=environment["MLFLOW_S3_ENDPOINT_URL"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name=environment["AWS_DEFAULT_REGION"],
    )


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server with the databases `mlflow` and `users`; skips without."""
    if not (POSTGRES / "postgres").is_file():
        pytest.skip("PostgreSQL is not installed on this machine")
    pytest.importorskip("psycopg2", reason="the driver of PostgreSQL is not installed")
    owner = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="postgres-of-tests-"))
    data, port, password = folder / "data", free_port(), folder / "password"
    password.write_text("secret-of-tests")
    if owner is not None:
        for path in (folder, password):
            shutil.chown(path, owner)
    initdb = ["--no-sync", "-D", str(data), "-U", "team", "--pwfile", str(password)]
    quick = [each for name in ("fsync", "full_page_writes") for each in ("-c", f"{name}=off")]
    try:
        subprocess.run(
            [str(POSTGRES / "initdb"), *initdb, "-A", "scram-sha-256", "-E", "UTF8", "--locale", "C.UTF-8"],
            check=True,
            capture_output=True,
            user=owner,
            cwd=folder,
        )
        process = subprocess.Popen(
            [POSTGRES / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder, *quick],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=owner,
            cwd=folder,
        )
        try:
            address = f"postgresql+psycopg2://team:secret-of-tests@127.0.0.1:{port}"
            _make_databases(address)
            yield address
        finally:
            process.send_signal(signal.SIGINT)  # its fast shutdown
            process.wait(timeout=SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_databases(address: str) -> None:
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import OperationalError

    engine = create_engine(f"{address}/postgres", isolation_level="AUTOCOMMIT")
    end = time.monotonic() + SECONDS
    while True:
        try:
            with engine.connect() as connection:
                for name in ("mlflow", "users"):
                    connection.execute(text(f"CREATE DATABASE {name}"))
            break
        except OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    engine.dispose()


class Line:
    """A line to a server, which can be cut and mended.

    Attributes:
        address: its near end.
    """

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").split(":")
        self._to = (host, int(port))
        self._port = free_port()
        self._open: list[socket.socket] = []
        self.address = f"http://127.0.0.1:{self._port}"
        self.mend()

    def mend(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def cut(self) -> None:
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self._to)
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass, args=(one, other), daemon=True).start()


def _pass(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
    for each in (one, other):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the MLflow server does not answer: {log.read_text()[-2000:]}")


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
