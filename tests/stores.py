"""New MLflow stores: MLflow takes seconds to make one, so one is made and copied."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from functools import wraps
from inspect import unwrap
from pathlib import Path
from typing import Any

from tests.made_once import made_once, shared


def new_store(file: Path) -> str:
    """Put an empty store into a file; gives its address."""
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(_empty(), file)
    return f"sqlite:///{file}"


def copy_new_stores() -> None:
    """Let MLflow, in this process, copy the empty store wherever it would make one in an SQLite file."""
    from mlflow.store.db import utils
    from sqlalchemy.exc import OperationalError

    make = utils._initialize_tables

    @wraps(make)
    def copied(engine: Any) -> None:
        if engine.dialect.name != "sqlite":
            make(engine)
            return
        with closing(sqlite3.connect(_empty())) as store, closing(engine.raw_connection()) as new:
            try:
                store.backup(new.driver_connection)
            except sqlite3.Error as error:
                raise OperationalError("copy of an empty store", None, error) from error

    utils._initialize_tables = copied


def _empty() -> Path:
    from mlflow.store.db import utils
    from sqlalchemy import create_engine

    file, make = shared("mlflow.db"), unwrap(utils._initialize_tables)
    made_once("mlflow-store", lambda: make(create_engine(f"sqlite:///{file}")))
    return file
