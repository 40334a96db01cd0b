"""The acceptance figure: 300 answers with known faults from worlds of all three kinds."""

from __future__ import annotations

import pytest

from benchmarks import judge


@pytest.mark.slow
def test_planted_faults_are_ordered_as_the_rubrics_say_and_broken_judges_fail() -> None:
    figures = judge.run(quick=True)
    assert figures["cases"] == 300
    assert figures["ordered"] >= 0.9 <= figures["more_ordered"]
    assert figures["passes"] == {
        "local/rubric": True,
        "random": False,
        "always 5": False,
        "inverted": False,
    }
    assert set(figures["by_fault"]) >= {
        *("clean", "paraphrase", "verbosity", "omission"),
        *("wrong number", "wrong person", "extra record", "leak"),
    }
