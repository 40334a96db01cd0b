"""Jobs and commits killed by SIGKILL; `python -m benchmarks kill` does it more often."""

from __future__ import annotations

import pytest

from benchmarks.soundness.kill import run


@pytest.mark.slow
def test_after_kills_the_result_is_the_same_and_nothing_is_paid_or_committed_twice() -> None:
    found = run(quick=True)
    commits = found["commit"]
    assert (commits["kills"], commits["made_once"], commits["false_status"]) == (2, 2, 0)
    for figures in map(found.get, ("compile", "eval")):
        assert figures is not None
        assert figures["kills"] == figures["identical"] == 2
        assert figures["kills_while_asking"] > 0
        assert figures["repeated_episodes"] == figures["repeated_calls"] == figures["uncounted_calls"] == 0
