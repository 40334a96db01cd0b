"""The MLflow store: its address, and opening it complete before another process uses it."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from worksmith.evals.tracking.reaching import TrackingError, boundary, check_database, check_server, impatient
from worksmith.tools.errors import InputError

FOLDER = Path("mlruns")
"""The default folder of runs, relative to the current directory."""

EXPERIMENT = "worksmith"
"""The default experiment; commands use one for each suite."""

_SQLITE = "sqlite:///"
_PATIENCE = 60.0
"""Seconds for another process to make the store."""
_VIEW_TAG = "mlflow.sharedViewState.outcome"
_VIEW = ("outcome", "seconds", "steps", "tasks", "used_tokens")
"""Figures that MLflow's list of training runs shows by its view *outcome*; it sorts them by name."""
_SCHEMES = ("sqlite", "http", "https", "postgresql", "mysql", "mssql", "databricks", "file")


def tracking_uri(given: str | None = None) -> str:
    """The store's address: `given`, else MLFLOW_TRACKING_URI, else `sqlite:///mlruns/mlflow.db`."""
    return given or os.environ.get("MLFLOW_TRACKING_URI") or f"{_SQLITE}{FOLDER.as_posix()}/mlflow.db"


def database_file(uri: str) -> Path | None:
    """The SQLite file behind an address; None for a server or another database."""
    return Path(uri.removeprefix(_SQLITE)) if uri.startswith(_SQLITE) else None


def absolute(uri: str) -> str:
    """The address with an absolute file: MLflow remembers opened stores by address."""
    file = database_file(uri)
    return uri if file is None else f"{_SQLITE}{os.path.realpath(file)}"


def check_address(uri: str) -> None:
    """Check the form of a store's address.

    Raises:
        InputError: MLflow knows no such addresses.
    """
    try:
        parts = urlsplit(uri)
        _ = parts.port  # raises, too
    except ValueError as error:  # which may quote a password
        raise InputError(
            "host and port of the MLflow store cannot be read",
            where="--tracking-uri",
            hint="write http://host:port; in a password write / as %2F, # as %23 and ? as %3F",
        ) from error
    scheme = parts.scheme.partition("+")[0]
    if not scheme:
        raise InputError(
            "a plain folder is not an MLflow store",
            where=uri,
            hint=f"use {_SQLITE}{uri.rstrip('/')}/mlflow.db",
        )
    if scheme not in _SCHEMES:
        raise InputError(
            f"MLflow has no stores {scheme}://", where=uri, hint=f"there are {', '.join(_SCHEMES)}"
        )


def existing_store(uri: str | None = None) -> str | None:
    """The full address of the store at `uri` (see `tracking_uri`), checked; None without a store.

    Raises:
        InputError: MLflow knows no such addresses.
        TrackingError: the store is damaged, cannot be written, or does not answer.
    """
    quieten_libraries()
    address = absolute(tracking_uri(uri))
    check_address(address)
    file = database_file(address)
    if file is None:
        check_server(address)
    elif not os.path.lexists(file):
        return None
    else:
        check_database(file)
    return address


def check_access(address: str) -> None:
    """See that the store at a full address lets us read, or raise `TrackingError`."""
    from mlflow import MlflowClient

    with boundary(), impatient():
        MlflowClient(tracking_uri=address).search_experiments(max_results=1)


def find_run(run_id: str, uri: str | None, missing: str) -> tuple[Any, Any]:
    """An `MlflowClient` on the store at `uri`, and the run `run_id` in it.

    Args:
        missing: the problem to report if the run is missing.

    Raises:
        InputError: the store has no such run.
        TrackingError: the store cannot be read.
    """
    address = existing_store(uri)
    if address is None:
        hint = f"there is no MLflow store at {tracking_uri(uri)}"
        raise InputError(missing, where=run_id, hint=hint)
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    with boundary(), impatient():
        client = MlflowClient(tracking_uri=address)
        try:
            return client, client.get_run(run_id)
        except MlflowException as error:
            raise InputError(missing, where=run_id, hint=f"looked in {address}") from error


def open_store(uri: str, experiment: str = EXPERIMENT) -> tuple[Any, str]:
    """An `MlflowClient` on a store that is ready, and the id of the experiment in it."""
    quieten_libraries()
    from mlflow import MlflowClient

    check_address(uri)
    file = database_file(uri)
    if file is None:
        check_server(uri)
    with boundary(), impatient(), _alone(file), quiet("alembic"):
        if file is not None:
            check_database(file)
        client = MlflowClient(tracking_uri=uri)
        return client, _experiment_id(client, experiment, file)


def quieten_libraries() -> None:
    """Turn off telemetry, prices from the network, progress bars and doubled messages before MLflow loads."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")  # where --json writes
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")  # MLflow's own 7 are minutes of silence
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # It prints tracebacks of exceptions that it raises as well.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)


def _experiment_id(client: Any, name: str, file: Path | None) -> str:
    from mlflow.exceptions import MlflowException

    found = client.get_experiment_by_name(name)
    if found is None:
        artifacts = str((file.parent / "artifacts").resolve()) if file else None
        tags = {"mlflow.experimentKind": "genai_development", _VIEW_TAG: _view()}
        try:
            return str(client.create_experiment(name, artifact_location=artifacts, tags=tags))
        except MlflowException:
            found = client.get_experiment_by_name(name)  # another process may have made it just now
            if found is None:
                raise
    if found.lifecycle_stage != "active":
        raise InputError(
            f"the experiment {name!r} was deleted",
            hint=f"bring it back with `mlflow experiments restore -x {found.experiment_id}`",
        )
    return str(found.experiment_id)


def _view() -> str:
    """The view as MLflow's page keeps it."""
    state = json.dumps({"selectedColumns": [f"metrics.`{name}`" for name in _VIEW]})
    return json.dumps({"name": "outcome", "createdAt": int(time.time() * 1000), "state": state})


@contextmanager
def _alone(file: Path | None) -> Iterator[None]:
    """Hold the lock under which an SQLite store is made."""
    if file is None:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(file.parent / ".opening", timeout=_PATIENCE):
            yield
    except Timeout as error:
        raise TrackingError(
            f"{file}: another process has been opening the MLflow store for a minute"
        ) from error


@contextmanager
def quiet(*names: str) -> Iterator[None]:
    """Hold back messages of these loggers, except errors."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
