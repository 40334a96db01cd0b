"""Checks of an MLflow store within seconds, where MLflow itself would try for minutes."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from tools.errors import Notice, WorksmithError

_SECONDS = 10.0
"""The longest wait for a server to answer, and for another process to release a database."""

_PORTS = {"http": 80, "https": 443, "postgresql": 5432, "mysql": 3306, "mssql": 1433}

_REQUEST = {"MLFLOW_HTTP_REQUEST_TIMEOUT": "5"}


class TrackingError(WorksmithError):
    """The tracking store failed. Nothing is lost: the episodes are in their log."""


def check_database(file: Path) -> None:
    """Check that an SQLite file can be read and written, or made if there is none.

    Raises:
        TrackingError: it cannot.
    """
    try:
        if os.path.lexists(file) and not stat.S_ISREG(file.stat().st_mode):
            raise _unusable(str(file), "it is no file", "move it away")
        with closing(sqlite3.connect(file, timeout=_SECONDS, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            connection.execute("ROLLBACK")
    except OSError as error:
        raise _unusable(str(file), error.strerror or str(error), "mend it") from error
    except sqlite3.Error as error:
        raise _unusable(str(file), str(error), "move it away to begin a new one") from error


def check_server(uri: str) -> None:
    """Check that a server listens at an address.

    Raises:
        TrackingError: none does.
    """
    parts = urlsplit(uri)
    port = parts.port or _PORTS.get(parts.scheme.partition("+")[0])
    proxied = parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")
    if not parts.hostname or port is None or proxied:
        return
    try:
        socket.create_connection((parts.hostname, port), timeout=_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _unusable(f"{parts.scheme}://{parts.hostname}:{port}", reason, "start it") from error


@contextmanager
def impatient() -> Iterator[None]:
    """Shorten the time-outs of requests to an MLflow server, unless the environment sets them."""
    ours = {name: value for name, value in _REQUEST.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


@contextmanager
def boundary() -> Iterator[None]:
    """Turn failures of MLflow, its database and its files into `TrackingError`."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, OSError) as error:
        said = str(error).partition("\n")[0]  # SQLAlchemy quotes the statement below
        raise TrackingError(
            f"MLflow: {said} (the episodes are in their log; --no-track leaves MLflow out)"
        ) from error


@contextmanager
def optional(lack: str) -> Iterator[None]:
    """Turn a failure of MLflow into a warning, where a run is complete without.

    Args:
        lack: what MLflow then lacks, for people.
    """
    try:
        with boundary():
            yield
    except (TrackingError, NotImplementedError) as error:
        warnings.warn(f"{lack}: {error}", Notice, stacklevel=3)


def _unusable(where: str, reason: str, remedy: str) -> TrackingError:
    return TrackingError(
        f"{where}: the MLflow store cannot be used: {reason} ({remedy}, name another with --tracking-uri, "
        "or leave MLflow out with --no-track)"
    )
