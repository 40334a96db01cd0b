"""Servers that several tests use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.kinds.crm.rest.running import Served, served, small_world
from worksmith.tools.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small generated world."""
    return small_world(tmp_path_factory.mktemp("worlds") / "small")


@pytest.fixture(scope="session")
def org(world: World) -> Iterator[Served]:
    """A server of that world, read-only."""
    with served(world) as running:
        yield running


@pytest.fixture
def writable(world: World) -> Iterator[Served]:
    """A server whose records can be changed, fresh for each test."""
    with served(world, writable=True) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where nothing is yet."""
    return tmp_path / "new"
