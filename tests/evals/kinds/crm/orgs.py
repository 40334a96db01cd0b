"""Small generated CRM suites for the tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from evals.kinds.crm.questions.org_records import OrgRecords
from evals.kinds.crm.suites import build_world
from tools.kinds.crm.generate import Built
from tools.kinds.crm.settings import Mode
from tools.world import World

SCALE = 0.1
_FOLDER = TemporaryDirectory()


@cache
def org(mode: Mode = "clean", scale: float = SCALE, seed: int = 7) -> tuple[World, Built]:
    """An org on disk; shared, so it is not to be changed."""
    return build_world(Path(mkdtemp(dir=_FOLDER.name)), seed, scale, mode)


@cache
def org_records(scale: float = SCALE) -> OrgRecords:
    """Its records."""
    return OrgRecords(org(scale=scale)[1])
