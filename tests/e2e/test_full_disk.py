"""A disk that fills up leaves nothing half-written, and what was finished.

A limit on the size of files stands for the disk: it needs no rights, and writes fail in the same places.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.conftest import invoke
from worksmith.cli import main

pytestmark = pytest.mark.slow


@dataclass
class Ended:
    """What a command said, and its exit code."""

    code: object
    stdout: str
    stderr: str


def limited(limit: int, *arguments: object) -> Ended:
    """Run a command in this process, whose files may become so large."""
    out, err = io.StringIO(), io.StringIO()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["worksmith", *map(str, arguments)])
        patch.setattr(warnings, "showwarning", warnings.showwarning)  # which the command line replaces
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            with pytest.raises(SystemExit) as end:
                main()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    return Ended(end.value.code, out.getvalue(), err.getvalue())


@pytest.mark.parametrize(
    ("limit", "step"), [(1_000_000, "world.sqlite"), (2_500_000, "index")], ids=["the world", "the index"]
)
def test_nothing_half_is_left_of_a_build(here: Path, limit: int, step: str) -> None:
    world = ("enterprise", "--scale", "0.02", "--train", "1", "--index", "static")
    done = limited(limit, "suite", "build", *world, "--out", "suite")

    assert done.code in (1, 2)
    assert step in done.stderr.splitlines()[-1]
    assert not list(here.iterdir())


def test_a_store_of_runs_that_does_not_fit_is_said_and_the_episodes_stay(office: Path, here: Path) -> None:
    log = ("--log", "log.jsonl", "--no-track")
    assert invoke("eval", office, "--limit", 2, *log).exit_code == 0
    before = (here / "log.jsonl").read_bytes()
    done = limited(400_000, "log", "log.jsonl")

    assert done.code == 1
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
        done = limited(limit, "compile", office, "--out", "out.json", *small, "--resume")
        assert done.code == 1, done.stderr
        assert not (here / "out.json").exists()
    assert invoke("compile", office, "--out", "out.json", *small, "--resume").exit_code == 0
    assert digest("out.json") == digest("whole.json")
