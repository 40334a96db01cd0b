"""A served org, and the environment that names it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.kinds.crm.rest.running import TOKEN, Served, served, small_world
from worksmith.tools.world import World

VARIABLES = ("INSTANCE_URL", "SESSION_ID", "USERNAME", "PASSWORD", "SECURITY_TOKEN", "DOMAIN")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small generated world."""
    return small_world(tmp_path_factory.mktemp("worlds") / "small")


@pytest.fixture(scope="session")
def server(world: World) -> Iterator[Served]:
    """A server of that world, read-only."""
    with served(world) as running:
        yield running


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """No live org named, no proxy."""
    for name in VARIABLES:
        monkeypatch.delenv(f"SALESFORCE_{name}", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def name_org(monkeypatch: pytest.MonkeyPatch, running: Served) -> None:
    """Set what a user would set to reach a server."""
    assert isinstance(running.certificate, Path)
    monkeypatch.setenv("SALESFORCE_INSTANCE_URL", running.url)
    monkeypatch.setenv("SALESFORCE_SESSION_ID", TOKEN)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(running.certificate))
