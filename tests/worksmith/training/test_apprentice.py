"""The recipe of the packaged model runs from end to end on a tiny model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.quality.apprentice import QUICK, study
from benchmarks.quality.apprentice.projects import Project
from tests.worksmith.training.tiny import write_tiny_model
from worksmith.exports.training import sft
from worksmith.models.transformer.manifest import read_manifest


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_the_tasks_of_a_drawn_project_are_solved_by_their_plans(tmp_path: Path, seed: int) -> None:
    for again in ("a", "b"):
        Project(tmp_path / again, seed).write()
    files = [sorted((tmp_path / again).iterdir()) for again in ("a", "b")]
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]
    card = sft(tmp_path / "a", out=tmp_path / "sft.jsonl", leave_out=True).card
    assert card.left_out == {}
    assert card.files[0].rows > 40


@pytest.mark.slow
def test_the_recipe_runs_from_end_to_end(tmp_path: Path) -> None:
    base = write_tiny_model(tmp_path / "base", width=64)
    form = replace(QUICK, documents=30, tokens=2_000, batch=4_000, steps=30, rate=0.01)
    figures = study(form, tmp_path / "work", str(base))
    assert all(each["after"]["loss"] < 0.8 * each["before"]["loss"] for each in figures["held_out"].values())
    assert figures["rows"]["renamed"] > 5
    found = read_manifest(tmp_path / "work" / "model")
    assert (found.weights, found.prompt) == ("difference", "compact")
