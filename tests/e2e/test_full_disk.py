"""A disk that fills up while a suite is built leaves nothing that looks like a suite.

A limit on the size of files stands for the disk: it needs no rights, and writes fail in the same places.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CODE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
del sys.argv[1]
from worksmith.cli import main
main()
"""


@pytest.mark.parametrize(
    ("limit", "step"), [(500_000, "world.sqlite"), (1_300_000, "index")], ids=["the world", "the index"]
)
def test_nothing_half_is_left_of_a_build(tmp_path: Path, limit: int, step: str) -> None:
    options = ["suite", "build", "enterprise", "--scale", "0.02", "--index", "static", "--out", "suite"]
    command = [sys.executable, "-c", CODE, str(limit), *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert step in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())
