"""One MLflow store for all tests: making one takes seconds."""

from __future__ import annotations

import pytest

from worksmith.evals.tracking import open_tracker
from worksmith.evals.tracking.choice import ALL
from worksmith.evals.tracking.mlflow_tracker import MlflowTracker
from worksmith.evals.tracking.store import open_store


@pytest.fixture(scope="session")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    address = f"sqlite:///{tmp_path_factory.mktemp('mlruns')}/mlflow.db"
    open_store(address)
    return address


@pytest.fixture
def tracker(uri: str) -> MlflowTracker:
    """A tracker that makes a trace of every episode."""
    made = open_tracker(uri, traces=ALL)
    assert isinstance(made, MlflowTracker)
    return made
