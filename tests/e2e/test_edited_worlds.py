"""Whoever edits what decides a result is found out, or gets other episodes."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import invoke
from worksmith.evals.suite import Suite, write_suite
from worksmith.tools.world import MANIFEST_FILE, World

EVAL = ("--lm", "gold", "--limit", 3, "--no-track", "--log", "log.jsonl")


@pytest.fixture
def suite(office: Path, here: Path) -> Path:
    copy = here / "copy"
    shutil.copytree(office, copy)
    return copy


def resign(directory: Path, **changes: Any) -> None:
    """What somebody does who edits the manifest and brings every digest in line."""
    suite = Suite.open(directory)
    edited = suite.world.manifest.model_copy(update=changes)
    edited = edited.model_copy(update={"digest": edited.content_digest})
    (directory / MANIFEST_FILE).write_text(edited.model_dump_json())
    write_suite(World.open(directory), suite.tasks)


@pytest.mark.slow
def test_resume_takes_no_episode_from_before_the_clock_was_changed(suite: Path) -> None:
    def lines() -> int:
        assert (result := invoke("eval", suite, *EVAL, "--resume")).exit_code == 0, result.output
        return len((suite.parent / "log.jsonl").read_text().splitlines())

    assert lines() == 3
    assert lines() == 3
    digest, now = Suite.open(suite).digest, World.open(suite).manifest.now
    resign(suite, now=now + timedelta(days=1))
    assert Suite.open(suite).digest != digest
    assert lines() == 6
