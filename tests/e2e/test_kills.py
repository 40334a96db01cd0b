"""Compiles and evaluations that are killed with SIGKILL; `python -m benchmarks kill` does it more often."""

from __future__ import annotations

import pytest

from benchmarks.kill import run


@pytest.mark.slow
def test_after_kills_the_result_is_the_same_and_nothing_is_paid_twice() -> None:
    for figures in map(run(quick=True).get, ("compile", "eval")):
        assert figures is not None
        assert figures["kills"] == figures["identical"] == 2
        assert figures["kills_while_asking"] > 0
        assert figures["repeated_episodes"] == figures["repeated_calls"] == figures["uncounted_calls"] == 0
