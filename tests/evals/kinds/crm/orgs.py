"""Small generated CRM suites for the tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from tests.made_once import made_once, shared
from worksmith.evals.building import build_suite
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.evals.kinds.crm.suites import build_world
from worksmith.evals.suite import Suite
from worksmith.tools.kinds.crm.generate import Built
from worksmith.tools.kinds.crm.settings import Mode
from worksmith.tools.world import World

SCALE = 0.1
FULL_SEED = 3
_FOLDER = TemporaryDirectory()


@cache
def org(mode: Mode = "clean", scale: float = SCALE, seed: int = 7) -> tuple[World, Built]:
    """An org on disk; shared, so it is not to be changed."""
    return build_world(Path(mkdtemp(dir=_FOLDER.name)), seed, scale, mode)


@cache
def org_records(scale: float = SCALE) -> OrgRecords:
    """Its records."""
    return OrgRecords(org(scale=scale)[1])


@cache
def small_suite(mode: Mode) -> Suite:
    """A small suite; shared, so it is not to be changed."""
    folder = shared(f"crm-{mode}")

    def make() -> None:
        build_suite("crm", folder, scale=SCALE, mode=mode)

    made_once(folder.name, make)
    return Suite.open(folder)


@cache
def full_suite() -> tuple[Suite, list[str]]:
    """A suite of the published size, of `FULL_SEED`, and what was said while it was made. Takes seconds."""
    folder = shared("full-crm")

    def make() -> list[str]:
        said: list[str] = []
        build_suite("crm", folder, seed=FULL_SEED, progress=said.append)
        return said

    said = made_once(folder.name, make)
    return Suite.open(folder), said
