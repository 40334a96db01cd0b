"""Orgs for questions: their records, and worlds written from them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evals.crm.books import Books
from evals.crm.suites import LATENT_FILE
from tests.tools.crm.generate.orgs import small
from tools.crm.access import POLICY_FILE, packaged_policy, persona_of
from tools.crm.generate import DEFAULT_NOW, Built
from tools.crm.schema import TABLES
from tools.crm.settings import Mode, OrgSettings, write_settings
from tools.crm.sosl.tables import SEARCH_TABLES, search_rows
from tools.files import write_atomically
from tools.world import World, write_world


@cache
def small_books(seed: int = 7) -> Books:
    """The records of a small org; shared, so they are not to be changed."""
    return Books(small(seed))


def world_of(built: Built, directory: Path, mode: Mode = "clean") -> World:
    """A world with the rows of an org, which may have been spoiled."""
    write_settings(directory, OrgSettings(mode=mode))
    write_atomically(directory / POLICY_FILE, packaged_policy().encode())
    write_atomically(directory / LATENT_FILE, "".join(built.latent_lines()).encode())
    return write_world(
        directory,
        [*TABLES, *SEARCH_TABLES],
        {**built.rows, **search_rows(built.rows)},
        kind="crm",
        origin="generated",
        now=DEFAULT_NOW,
        persona=persona_of("service_manager"),
        seed=built.seed,
        scale=built.scale,
    )
