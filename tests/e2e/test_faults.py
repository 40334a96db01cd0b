"""Faults on the wire, as `python -m benchmarks faults` injects them by the thousand."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from benchmarks.soundness.faults import measured, opened

KINDS = ("rate_limit", "cut", "malformed", "wrong_tool", "truncated", "no_usage")


@pytest.mark.slow
def test_faults_lose_double_and_miscount_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not DSPy's own cache, which outlives the test.
    cache = dspy.clients.Cache(enable_disk_cache=False, enable_memory_cache=False, disk_cache_dir=None)
    monkeypatch.setattr(dspy, "cache", cache)
    with opened(tmp_path, limit=3) as bench:
        figures = measured(bench, KINDS, (0.4,))

    wrong = ("wrong_classifications", "doubled_effects", "changed_episodes", "uncounted_requests")
    assert {name: figures[name] for name in (*wrong, "lost_episodes", "doubled_episodes")} == {
        **dict.fromkeys(wrong, 0),
        "lost_episodes": 0,
        "doubled_episodes": 0,
    }
    assert all(cell["faults"] > 0 for cell in figures["cells"])
    assert figures["score"] > 0
