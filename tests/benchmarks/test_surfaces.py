"""The benchmark of surfaces: true means are the student's, cells are kept, and verdicts follow from them."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest

from benchmarks.quality import surfaces
from benchmarks.quality.surfaces.models import Student, simulated
from benchmarks.quality.surfaces.worlds import SURFACES, cases

_MANY = 60


@pytest.mark.parametrize("name", ["instruction", "description", "one_of_three"])
def test_a_true_mean_is_the_share_of_right_replies(name: str) -> None:
    surface, known = SURFACES[name], cases(0)
    program, (train, _, fresh), _ = surface.world(known)
    student = Student(surface, known, 0)
    student.meet(program, train[0])

    with dspy.context(lm=simulated(student)):
        found = [program(**example.inputs()) for example in fresh[:_MANY]]

    codes = [case.code for case in known[-len(fresh) :][:_MANY]]
    said = [each.get("code", each.get("answer")) for each in found]
    right = sum(code == each for code, each in zip(codes, said, strict=True))
    assert right / _MANY == pytest.approx(student.true_mean(program, fresh[:_MANY]), abs=0.2)


def test_the_figures_are_those_of_the_cells_which_are_measured_once(tmp_path: Path) -> None:
    found = surfaces.run(True, work=tmp_path)["surfaces"]
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.json")}

    assert surfaces.run(True, work=tmp_path)["surfaces"] == found
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.json")} == before
    arms = found["instruction"]["arms"]
    assert all(0 < each["calls"] <= 60 for each in arms.values())
    assert arms["nearest"]["mean"]["value"] > found["instruction"]["as_it_is"]


@pytest.mark.parametrize(
    ("race", "verdict"),
    [(0.5, "is worse than"), (0.68, "is not shown to be worse than"), (0.9, "is the best")],
)
def test_a_verdict_is_about_the_paired_difference_to_the_best_arm(race: float, verdict: str) -> None:
    cells = [
        {
            "surface": "instruction",
            "arm": arm,
            "seed": seed,
            "mean": mean + 0.01 * seed * bent,
            "as_it_is": 0.2,
            "changed": True,
            "calls": 600,
            "seconds": 1.0,
            "failed": "",
        }
        for arm, mean, bent in (("race", race, 1), ("dspy:MIPROv2", 0.7, 0))
        for seed in range(4)
    ]

    assert verdict in surfaces.figures(cells)["instruction"]["verdict"]
