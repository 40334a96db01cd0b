"""How often the check fails programs, in few simulated evaluations."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.soundness.gate import DESIGNS, shares


def test_unchanged_programs_pass_and_worse_ones_fail() -> None:
    found = shares(replace(DESIGNS["steady"], rate=0.7), 40)
    assert found["unchanged"] <= 0.05
    assert found["worse"] >= 0.8
