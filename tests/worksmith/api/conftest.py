"""The help desk of `examples/own_data.py`, in a folder of the test's own."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import dspy
import pytest

import worksmith as ws

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def suite(here: Path) -> ws.Suite:
    """The example's suite, before it runs any program."""
    shutil.copytree(EXAMPLES / "helpdesk", here / "helpdesk")
    file = here / "own_data.py"
    file.write_text((EXAMPLES / file.name).read_text().partition("agent = ")[0])
    with dspy.context(lm=None):
        found: ws.Suite = runpy.run_path(str(file))["suite"]
        return found
