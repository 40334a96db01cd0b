"""A disk that fills up leaves nothing half-written, and what was finished.

A limit on the size of files stands for the disk: it needs no rights, and writes fail in the same places.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow

CODE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
del sys.argv[1]
from worksmith.cli import main
main()
"""


@pytest.mark.parametrize(
    ("limit", "step"), [(1_000_000, "world.sqlite"), (2_500_000, "index")], ids=["the world", "the index"]
)
def test_nothing_half_is_left_of_a_build(tmp_path: Path, limit: int, step: str) -> None:
    options = ["suite", "build", "enterprise", "--scale", "0.02", "--index", "static", "--out", "suite"]
    done = limited(tmp_path, limit, *options)

    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert step in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_the_doctor_names_a_full_disk(tmp_path: Path) -> None:
    done = limited(tmp_path, 20_000, "doctor", "--json")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}

    assert done.returncode == 1
    assert "File too large" in checks["disk"]["said"]
    assert checks["disk"]["remedy"] == "free some space"
    assert checks["cache of replies"]["status"] == "failure"
    assert not list(tmp_path.iterdir())


def limited(here: Path, limit: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CODE, str(limit), *map(str, arguments)]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)


def test_a_report_that_does_not_fit_leaves_the_one_that_was_there(office: Path, here: Path) -> None:
    log = ("--log", "log.jsonl", "--no-track")
    assert invoke("eval", office, "--limit", 5, *log).exit_code == 0
    (here / "report.html").write_text("old")
    before = {file.name for file in here.iterdir()}
    done = limited(here, 20_000, "report", "log.jsonl", "--out", "report.html", "--force")

    assert done.returncode == 1
    assert done.stderr.startswith("worksmith: report.html: File too large (")
    assert (here / "report.html").read_text() == "old"
    assert {file.name for file in here.iterdir()} == before


def test_a_store_of_runs_that_does_not_fit_is_said_and_the_episodes_stay(office: Path, here: Path) -> None:
    log = ("--log", "log.jsonl", "--no-track")
    assert invoke("eval", office, "--limit", 5, *log).exit_code == 0
    before = (here / "log.jsonl").read_bytes()
    done = limited(here, 400_000, "log", "log.jsonl")

    assert done.returncode == 1
    assert "the episodes are in their log" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (here / "log.jsonl").read_bytes() == before
    assert invoke("log", "log.jsonl").exit_code == 0  # once there is room


def test_a_compile_that_does_not_fit_goes_on_to_the_same_program(office: Path, here: Path) -> None:
    small = ("--optimizer", "knn", "--train-limit", 6, "--dev-limit", 2, "--no-track")

    def digest(out: str) -> object:
        return json.loads((here / out).read_text())["digest"]

    assert invoke("compile", office, "--out", "whole.json", *small).exit_code == 0
    largest = max(file.stat().st_size for file in (here / "whole.json.journal").rglob("*.jsonl"))
    for limit in (1_000, largest * 3 // 4):
        done = limited(here, limit, "compile", office, "--out", "out.json", *small, "--resume")
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        assert not (here / "out.json").exists()
    assert invoke("compile", office, "--out", "out.json", *small, "--resume").exit_code == 0
    assert digest("out.json") == digest("whole.json")
