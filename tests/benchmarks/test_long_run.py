"""A run of more episodes than memory holds resumes from its index, and its report is one of them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import long_run
from tests.e2e.conftest import invoke
from worksmith.jobs.building import build
from worksmith.jobs.settings.suites import BuildSettings


@pytest.mark.slow
def test_memory_does_not_grow_with_the_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_run, "QUICK", 300)
    build(BuildSettings(kind="office", out=tmp_path / "office", scale=0.1, options={"per_intent": 1}))
    apart = long_run._python

    def python(*arguments: str) -> str:
        """Commands run here: only the memory of evaluations is measured, each in a process of its own."""
        if arguments[1] != "worksmith.cli":
            return apart(*arguments)
        assert invoke(*arguments[2:]).exit_code == 0
        return ""

    monkeypatch.setattr(long_run, "_python", python)
    figures = long_run.run(quick=True, work=tmp_path)

    assert figures["episodes"] >= 300 * 0.8
    assert figures["outcome"] == 1.0
    assert figures["grown_percent"] < 20
    assert figures["log_mib"] > 0
