"""The example of own data fits a page, and compiling gains on it beyond chance."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "own_data.py"


def test_it_fits_on_a_page() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 35
    assert sum(line.startswith("@env.tool") for line in lines) == 5
    tasks = (ROOT / "examples" / "helpdesk" / "tasks.jsonl").read_text(encoding="utf-8")
    assert len(tasks.splitlines()) == 40


@pytest.mark.slow
def test_compiling_gains_beyond_chance(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    said = re.search(r"lifted react from .*, \+[\d.]+ \[\+([\d.]+), \+([\d.]+)\]", run.stdout)
    assert said is not None, run.stdout
    assert 0 < float(said[1]) < float(said[2])
    assert "The model is local/apprentice, as none was given." in run.stdout
    assert "foreign-4" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "mlruns" / "mlflow.db").is_file()
