"""The benchmark of large worlds runs from end to end, and does no stage twice."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed import scale
from benchmarks.speed.scale import run
from tests.evals.kinds.enterprise.small_suite import small_suite
from worksmith.evals.suite import Suite


@pytest.mark.slow
def test_the_quick_form_measures_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(_kind: str, out: Path, *, progress: Callable[[str], None], **_: Any) -> Suite:
        progress("the suite of other tests")
        return Suite.open(shutil.copytree(small_suite().path, out))

    monkeypatch.setattr("worksmith.evals.authoring.suite_building.build_suite", built)
    monkeypatch.setattr(scale, "QUICK", replace(scale.QUICK, passages=(8_000,)))
    monkeypatch.setattr("worksmith.retrievers.index.arrays.CODED", 2_000)
    first = run(True, work=tmp_path)

    assert first["goals"]["recall_at_least_0.99"] is True
    assert first["goals"]["32_episodes_under_3_gb"] is True
    assert run(True, work=tmp_path) == first
    assert all(stage["done"] for stage in run(True, work=tmp_path, plan=True)["stages"])
