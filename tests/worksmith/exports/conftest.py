from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import invoke


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new project; nobody changes it."""
    out = tmp_path_factory.mktemp("projects") / "helpdesk"
    assert invoke("new", out).exit_code == 0
    return out
