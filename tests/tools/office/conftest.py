"""The original's data, where it is at hand, and a workshop over it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tools.office.generate import DEFAULT_NOW, build
from tools.office.importing import NOW, ORIGIN, import_tables
from tools.office.kind import OFFICE
from tools.office.policy import SAM
from tools.workshop import Workshop
from tools.world import write_world

ORIGINAL = Path(__file__).parents[3].parent / "shared" / "data" / "workbench"


@pytest.fixture(scope="session")
def original() -> Path:
    if not ORIGINAL.is_dir():
        pytest.skip("the original's data is not at hand (../shared/data/workbench)")
    return ORIGINAL


@pytest.fixture(scope="session")
def imported(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    directory = tmp_path_factory.mktemp("imported")
    tables = import_tables(original)
    world = write_world(
        directory, OFFICE.tables, tables, kind=OFFICE.name, origin=ORIGIN, now=NOW, persona=SAM
    )
    return Workshop(world, sandboxes=1)


def json_lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.decode().splitlines()]


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
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
    return Workshop(world, sandboxes=1)
