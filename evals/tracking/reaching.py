"""Checks of an MLflow store within ten seconds, where MLflow itself would try for minutes."""

from __future__ import annotations

import os
import sqlite3
import stat
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from worksmith.retrievers.reaching import ANSWER, CONNECT, connect
from worksmith.tools.errors import InputError, Notice, WorksmithError
from worksmith.tools.files.secrets import without_secrets

_SECONDS = 10.0
"""The longest wait for another process to release a database."""

_DOWN = (502, 503, 504)
"""Answers of a gateway whose server is down."""

_PORTS = {"http": 80, "https": 443, "postgresql": 5432, "mysql": 3306, "mssql": 1433}

_REQUEST = {"MLFLOW_HTTP_REQUEST_TIMEOUT": "8", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0"}

_LOG_IN = "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN"


class TrackingError(WorksmithError):
    """The tracking store failed. Nothing is lost: the episodes are in their log."""


def check_database(file: Path) -> None:
    """Check that an SQLite file can be read and written, or made if missing.

    Raises:
        TrackingError: it cannot.
    """
    try:
        if os.path.lexists(file) and not stat.S_ISREG(file.stat().st_mode):
            raise _unusable(str(file), "it is not a file", "move it away")
        with closing(sqlite3.connect(file, timeout=_SECONDS, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            connection.execute("ROLLBACK")
    except OSError as error:
        raise _unusable(str(file), error.strerror or str(error), "mend it") from error
    except sqlite3.Error as error:
        raise _unusable(str(file), str(error), "move it away to begin a new one") from error


def check_server(uri: str) -> None:
    """Check that a server answers at an address, within ten seconds.

    An MLflow server is asked for its health, a database lets us log in.

    Raises:
        TrackingError: it does not answer, or refuses us.
        InputError: the driver of the database is not installed.
    """
    parts = urlsplit(uri)
    scheme = parts.scheme.partition("+")[0]
    port = parts.port or _PORTS.get(scheme)
    if not parts.hostname or port is None:
        return
    where = f"{parts.scheme}://{parts.hostname}:{port}"
    try:
        if not (parts.scheme in getproxies() and not proxy_bypass(parts.hostname)):
            connect(parts.hostname, port)
        if scheme in ("http", "https"):
            _ask(uri)
        elif scheme in ("postgresql", "mysql"):
            _log_in(uri)
    except OSError as error:
        raise _unusable(where, error.strerror or str(error), "start it") from error


def _ask(uri: str) -> None:
    """Ask an MLflow server for its health. Any answer but a gateway's is one of a server."""
    from mlflow.exceptions import MlflowException
    from mlflow.utils.credentials import get_default_host_creds
    from mlflow.utils.rest_utils import http_request

    try:
        answer = http_request(
            get_default_host_creds(uri),
            "/health",
            "GET",
            timeout=ANSWER,
            max_retries=0,
            raise_on_status=False,
        )
    except MlflowException as error:
        message = f"no answer within {ANSWER} s" if "timed out" in str(error) else _sentence(error)
        raise OSError(message) from error
    if answer.status_code in _DOWN:
        raise OSError(f"its gateway answers {answer.status_code}")


def _log_in(uri: str) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = create_engine(uri, connect_args={"connect_timeout": CONNECT})
        engine.connect().close()
        engine.dispose()
    except ModuleNotFoundError as error:
        raise InputError(
            f"the driver {error.name} of this database is not installed",
            where="--tracking-uri",
            hint="install one and name it in the address, such as postgresql+psycopg2:// for psycopg2-binary",
        ) from error
    except SQLAlchemyError as error:
        raise OSError(_sentence(error)) from error


def _sentence(error: Exception) -> str:
    """The first line of a message, without credentials; SQLAlchemy quotes the statement below."""
    return without_secrets(str(error).partition("\n")[0])


@contextmanager
def impatient() -> Iterator[None]:
    """Shorten the time-outs of requests to an MLflow server and try each once."""
    before = {name: os.environ.get(name) for name in _REQUEST}
    os.environ.update(_REQUEST)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def boundary() -> Iterator[None]:
    """Turn failures of MLflow, its database and its files into `TrackingError`."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, OSError) as error:
        status = error.get_http_status_code() if isinstance(error, MlflowException) else None
        refused = status in (401, 403) or "error code 401" in str(error) or "error code 403" in str(error)
        remedy = _LOG_IN if refused else "the episodes are in their log; --no-track leaves MLflow out"
        raise TrackingError(f"MLflow: {_sentence(error)} ({remedy})") from error


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
