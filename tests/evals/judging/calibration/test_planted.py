"""The acceptance figure: 300 answers with known faults from worlds of all three kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soundness import judge
from tests.evals.kinds.crm.orgs import small_suite as crm
from tests.evals.kinds.enterprise.small_suite import small_suite as enterprise
from worksmith.evals.authoring.suite_building import build_suite


@pytest.mark.slow
def test_planted_faults_are_ordered_as_the_rubrics_say_and_broken_judges_fail(tmp_path: Path) -> None:
    office = build_suite("office", tmp_path / "office", scale=0.5, per_intent=4)
    figures = judge._figures([enterprise(), office, crm("clean")], more=100)
    assert figures["cases"] == 300
    assert figures["ordered"] >= 0.9 <= figures["more_ordered"]
    assert figures["passes"] == {"local/rubric": True, "random": False, "always 5": False, "inverted": False}
    assert set(figures["by_fault"]) >= {
        *("clean", "paraphrase", "verbosity", "omission"),
        *("wrong number", "wrong person", "extra record", "leak"),
    }
