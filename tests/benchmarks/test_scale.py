"""The benchmark of large worlds runs from end to end, and does no stage twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scale import run


@pytest.mark.slow
def test_the_quick_form_measures_every_part(tmp_path: Path) -> None:
    first = run(True, work=tmp_path)

    assert first["goals"]["recall_at_least_0.99"] is True
    assert first["goals"]["32_episodes_under_3_gb"] is True
    assert run(True, work=tmp_path) == first
    assert all(stage["done"] for stage in run(True, work=tmp_path, plan=True)["stages"])
