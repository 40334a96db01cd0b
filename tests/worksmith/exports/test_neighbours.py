"""Scores in other frameworks are ours, row by row."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from benchmarks.quality import neighbours
from benchmarks.quality.neighbours import ours

pytestmark = pytest.mark.slow
NEEDS = {"inspect_ai": "inspect_ai", "verifiers": "verifiers", "mlflow": "mlflow"}
"""The packages of the frameworks."""


def test_the_same_replies_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {name for name in neighbours.NEIGHBOURS if importlib.util.find_spec(NEEDS[name])}
    for name in neighbours.NEIGHBOURS.keys() - installed:
        monkeypatch.delitem(neighbours.NEIGHBOURS, name)
    monkeypatch.setattr(neighbours, "TASKS", 9)
    # Its client holds the address of the model that was served when another test imported it.
    monkeypatch.delitem(sys.modules, ours.AGENT.partition(":")[0], raising=False)

    for world, figures in neighbours.run(quick=True).items():
        assert (figures["tasks"], figures["not_graded"]) == (9, 0), world
        assert min(figures["right"], figures["wrong"]) > 1, world
        assert [figures[name]["differing"] for name in installed] == [[] for _ in installed], world
