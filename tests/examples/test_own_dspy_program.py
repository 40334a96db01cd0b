"""The example of a plain DSPy program runs, and its race finds more with fewer calls."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stores import new_store

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "own_dspy_program.py"


def test_it_fits_on_a_page() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 60


FEWER = {"list(mails(60))": "list(mails(30))", "list(mails(200))": "list(mails(100))"}
"""The dev and test mails; with half of them it takes half as long."""


@pytest.mark.slow
def test_the_race_beats_random_search_at_no_more_calls(tmp_path: Path) -> None:
    code = EXAMPLE.read_text(encoding="utf-8")
    for many, few in FEWER.items():
        assert many in code
        code = code.replace(many, few)
    new_store(tmp_path / "mlruns" / "mlflow.db")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    figures = re.findall(r"^([a-z ]+?) +([\d.]+) % \[([\d.]+), ([\d.]+)\]$", run.stdout, re.M)
    score = {name: tuple(map(float, values)) for name, *values in figures}
    assert score["race"][1] > score["random search"][2] > score["as it is"][2]
    allowed, made = map(int, re.findall(r"of (\d+) calls the race made (\d+)", run.stdout)[0])
    assert made <= allowed
    assert [file.name for file in tmp_path.iterdir()] == ["mlruns"]
