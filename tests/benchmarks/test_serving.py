"""A served program answers every task of a crowd."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from benchmarks import serving
from tests.e2e.conftest import invoke


@pytest.mark.slow
def test_a_crowd_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IN_FLIGHT", 32)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))  # of the stand-in

    def command(*words: str, where: Path | str) -> None:
        with contextlib.chdir(where):
            assert invoke(*words).exit_code == 0

    monkeypatch.setattr(serving, "_worksmith", command)
    figures = serving.run(quick=True, lm="tests.standin:lm")

    assert figures["replies"] == {"200 finished": figures["tasks"] + serving.IN_FLIGHT}
    assert figures["proposals"] > 20
    assert figures["mib_after_120"] - figures["mib_after_40"] < 30
