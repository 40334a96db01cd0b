"""Worlds to open episodes in: of a small generated org, and of records that a test makes up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from tests.tools.kinds.crm.generate.orgs import small
from worksmith.tools.environment import Environment
from worksmith.tools.episode import Episode
from worksmith.tools.kinds.crm.access.policy import persona_of
from worksmith.tools.kinds.crm.access.roles import packaged_roles
from worksmith.tools.kinds.crm.schema import TABLES
from worksmith.tools.kinds.crm.settings import OrgSettings, write_settings
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.world import write_world

_FOLDER = TemporaryDirectory()
NOW = datetime(2024, 6, 1)
ROLES = tuple(packaged_roles().roles)

Rows = dict[str, list[tuple[str | None, ...]]]


@cache
def env(mode: str = "clean") -> Environment:
    """Over a small generated org; shared."""
    return written(small().rows, mode)


def written(rows: Rows, mode: str = "clean", *, policy: str = "", links: str = "text") -> Environment:
    """Over a world of these rows, with the packaged roles or others."""
    directory = Path(mkdtemp(dir=_FOLDER.name))
    write_settings(directory, OrgSettings.model_validate({"mode": mode, "links": links}))
    if policy:
        (directory / "policy.json").write_text(policy, encoding="utf-8")
    everything: dict[str, Any] = {**rows, **search_rows(rows)}
    persona = persona_of("service_agent")
    tables = [*TABLES, *SEARCH_TABLES]
    write_world(directory, tables, everything, kind="crm", origin="test", now=NOW, persona=persona)
    return Environment.open(directory)


def episode(
    toolkits: Iterable[str], role: str = "service_agent", shop: Environment | None = None, mode: str = "clean"
) -> Episode:
    """An episode of somebody of a role."""
    shop = shop or env(mode)
    return shop.episode(toolkits, persona=shop.persona(role))


def call(given: Episode, tool: str, **arguments: Any) -> Any:
    """The value of a call that must not fail."""
    done = given.call(tool, arguments)
    assert done.status == "ok", done.text
    return done.value
