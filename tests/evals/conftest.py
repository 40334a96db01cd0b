"""What most tests of the harness start from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.evals.episodes import make_task
from worksmith.evals.tasks.task import Task


@pytest.fixture
def env() -> Any:
    return SimpleNamespace(digest="world", code_digest="", kind=SimpleNamespace(name=""))


@pytest.fixture
def tasks() -> list[Task]:
    return [make_task(number) for number in range(12)]
