"""What every test starts from."""

from __future__ import annotations

import pytest
from hypothesis import settings

# How long an example takes is the machine's, which may be busy; a deadline makes tests fail now and then.
settings.register_profile("worksmith", deadline=None)
settings.load_profile("worksmith")


@pytest.fixture(autouse=True)
def _own_tracking_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLflow keeps the settings of one test in the environment, where the next would find them."""
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_ID"):
        monkeypatch.delenv(name, raising=False)
