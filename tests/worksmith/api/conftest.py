"""The help desk of `examples/own_data.py`, in a folder of its own."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

import worksmith as ws

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="session")
def help_desk(tmp_path_factory: pytest.TempPathFactory) -> ws.Suite:
    """The example's suite, before it runs any program."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(EXAMPLES / "helpdesk", folder / "helpdesk")
    file = folder / "own_data.py"
    file.write_text((EXAMPLES / file.name).read_text().partition("agent = ")[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found: ws.Suite = runpy.run_path(str(file))["suite"]
        return found


@pytest.fixture
def suite(help_desk: ws.Suite, here: Path) -> ws.Suite:
    return help_desk
