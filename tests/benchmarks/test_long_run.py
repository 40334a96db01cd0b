"""A run of more episodes than memory holds resumes from its index, and its report is one of them all."""

from __future__ import annotations

import pytest

from benchmarks.long_run import QUICK, run


@pytest.mark.slow
def test_memory_does_not_grow_with_the_episodes() -> None:
    figures = run(quick=True)

    assert figures["episodes"] >= QUICK * 0.8
    assert figures["outcome"] == 1.0
    assert figures["grown_percent"] < 20
    assert figures["log_mib"] > 0
