"""Compiles that are killed with SIGKILL, as `python -m benchmarks kill` does it a hundred times."""

from __future__ import annotations

import pytest

from benchmarks.kill import run


@pytest.mark.slow
def test_killed_compiles_come_to_the_same_result_and_pay_nothing_twice() -> None:
    figures = run(quick=True)

    assert figures["kills"] == figures["identical"] == 5
    assert figures["kills_while_asking"] > 0
    assert figures["repeated_episodes"] == figures["repeated_calls"] == 0
