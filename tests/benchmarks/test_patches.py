"""The benchmark of patches finds nothing wrong with a few of the faults."""

from __future__ import annotations

import sys

import pytest

from benchmarks.soundness.patches import run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_gold_patches_pass_and_others_fail() -> None:
    figures = run(quick=True)
    assert figures["wrong"] == []
    assert figures["wrong_patches"] >= 20 * figures["faults"] > 60
