"""The small company, and episodes in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tools.enterprise.small_world import open_small_workshop
from tools.episode import Episode
from tools.workshop import Workshop

Open = Callable[[str], Episode]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return open_small_workshop(tmp_path_factory.mktemp("small"))


@pytest.fixture
def as_(small: Workshop) -> Open:
    """An episode on behalf of an employee."""
    return lambda emp_id: small.episode(persona=small.persona(emp_id))
