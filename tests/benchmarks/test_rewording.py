"""The benchmark of faulty writers finds that nearly nothing gets past the checks."""

from __future__ import annotations

import pytest

from benchmarks.rewording import run


@pytest.mark.slow
def test_faults_in_the_texts_of_records_are_refused() -> None:
    figures = run(quick=True)
    assert figures["planted"] > 80
    assert figures["accepted"] <= 1
    assert sum(found["accepted"] for found in figures["beside"].values()) > 0  # the checks do not see them
    assert figures["faithful"]["taken"] > figures["faithful"]["lines"] / 2 > 0
