from __future__ import annotations

import pytest

from tests.programs.office import make_env
from worksmith.tools.environment import Environment


@pytest.fixture(scope="session")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_env(tmp_path_factory.mktemp("office"))
