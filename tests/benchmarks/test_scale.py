"""The benchmark of large worlds runs from end to end, and does no stage twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.scale import run


@pytest.mark.slow
def test_the_quick_form_measures_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "QUICK", replace(scale.QUICK, passages=(8_000,), rows=500))
    monkeypatch.setattr("worksmith.retrievers.index.arrays.CODED", 2_000)
    first = run(True, work=tmp_path)

    assert first["goals"]["recall_at_least_0.99"] is True
    assert first["goals"]["32_episodes_under_3_gb"] is True
    assert run(True, work=tmp_path) == first
    assert all(stage["done"] for stage in run(True, work=tmp_path, plan=True)["stages"])
