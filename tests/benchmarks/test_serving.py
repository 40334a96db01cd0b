"""A served program answers every task of a crowd."""

from __future__ import annotations

import pytest

from benchmarks import serving


@pytest.mark.slow
def test_a_crowd_is_served() -> None:
    figures = serving.run(quick=True)

    assert figures["replies"] == {"200 finished": figures["tasks"] + serving.IN_FLIGHT}
    assert figures["proposals"] > 20
    assert figures["mib_after_120"] - figures["mib_after_40"] < 30
