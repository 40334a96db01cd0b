from __future__ import annotations

import pytest

from tests.optimizers.shop import make_suite
from worksmith.evals.suite import Suite


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIMBA's eight rounds take seconds."""
    monkeypatch.setattr("worksmith.optimizers.dspy_optimizers.reflective.SIMBA.rounds", 3)


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))
