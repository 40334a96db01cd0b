"""The small folder, and the original's files where they are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.made_once import afresh, made_once
from tests.tools.kinds.enterprise.importing.small import write_small
from worksmith.tools.kinds.enterprise.importing.reader import Imported, read_enterprise

ORIGINAL = Path(__file__).parents[5].parent / "shared" / "data" / "enterprisebench"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small")


@pytest.fixture(scope="session")
def original() -> Path:
    if not ORIGINAL.is_dir():
        pytest.skip(f"the original's files are not at {ORIGINAL}")
    return ORIGINAL


@pytest.fixture(scope="session")
def timed(original: Path) -> tuple[Imported, float]:
    """What was read, and the seconds of the processor."""

    def read() -> tuple[Imported, float]:
        started = time.process_time()
        with afresh():
            return read_enterprise(original), time.process_time() - started

    return made_once("original-enterprise", read)


@pytest.fixture(scope="session")
def imported(timed: tuple[Imported, float]) -> Imported:
    return timed[0]
