"""The original's data, where it is at hand, and an environment over it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.office.importing import NOW, ORIGIN, import_tables
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world

ORIGINAL = Path(__file__).parents[4].parent / "shared" / "data" / "workbench"


@pytest.fixture(scope="session")
def original() -> Path:
    if not ORIGINAL.is_dir():
        pytest.skip("the original's data is not at hand (../shared/data/workbench)")
    return ORIGINAL


@pytest.fixture(scope="session")
def imported(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("imported")
    tables = import_tables(original)
    world = write_world(
        directory, OFFICE.tables, tables, kind=OFFICE.name, origin=ORIGIN, now=NOW, persona=SAM
    )
    return Environment(world, sandboxes=1)


def json_lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.decode().splitlines()]


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("generated")
    world = write_world(
        directory,
        OFFICE.tables,
        build(seed=1),
        kind=OFFICE.name,
        origin="generated",
        now=DEFAULT_NOW,
        persona=SAM,
        seed=1,
        scale=1.0,
    )
    return Environment(world, sandboxes=1)
