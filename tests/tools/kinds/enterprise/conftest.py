"""The small company, and episodes in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tools.kinds.enterprise.small_world import open_small_env
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode

Open = Callable[[str], Episode]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return open_small_env(tmp_path_factory.mktemp("small"))


@pytest.fixture
def as_(small: Environment) -> Open:
    """An episode on behalf of an employee."""
    return lambda emp_id: small.episode(persona=small.persona(emp_id))
