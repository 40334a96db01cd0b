"""A new MLflow store, which takes MLflow seconds to make, and is made once for all tests."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.made_once import made_once


def new_store(file: Path) -> str:
    """Put an empty store into a file; gives its address."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(made_once("mlflow-store", _made))
    return _address(file)


def _made() -> bytes:
    from mlflow import MlflowClient

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mlflow.db"
        MlflowClient(tracking_uri=_address(file)).search_experiments()
        return file.read_bytes()


def _address(file: Path) -> str:
    return f"sqlite:///{file}"
