"""A suite of a few tasks and a folder to work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.optimizers.shop import make_suite
from worksmith.evals.suite import Suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
