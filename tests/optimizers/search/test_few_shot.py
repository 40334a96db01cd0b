from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.optimizers.shop import lm, make_context
from worksmith.evals.suite import Suite
from worksmith.optimizers.optimizer import Compiled
from worksmith.optimizers.search.few_shot import Tpe

VERBS = ("Cancel", "Rename", "Shift")


def compiled(suite: Suite, folder: Path, **settings: Any) -> Compiled:
    return Tpe().search(make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings))


@pytest.mark.slow
def test_the_search_finds_what_covers_all_intents(suite: Suite, tmp_path: Path) -> None:
    found = compiled(suite, tmp_path, demos=6, candidates=8)

    assert found.trials[0].name == "uncompiled"
    assert found.trials[0].score.value < 1
    best = max(found.trials, key=lambda trial: trial.score.value)
    assert (found.chosen, best.score.value) == (best.name, 1.0)
    assert {shown.intent for shown in found.demonstrations} == set(VERBS)


@pytest.mark.slow
def test_the_seed_decides_what_is_tried_and_nothing_is_tried_twice(suite: Suite, tmp_path: Path) -> None:
    first, again, other = (
        [trial.name for trial in compiled(suite, tmp_path / name, demos=4, candidates=6, seed=seed).trials]
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert first == again
    assert first != other
    assert len(first) == len(set(first)) <= 7


def test_ten_proposals_depend_on_no_score_and_more_are_tested_as_all_there_are(
    suite: Suite, tmp_path: Path
) -> None:
    def tried(student: dspy.LM, name: str) -> list[str]:
        work = make_context(
            suite, tmp_path / name, teacher=lm(*VERBS), student=student, demos=8, candidates=10
        )
        work.dev = work.dev[:1]
        return [trial.name for trial in Tpe().search(work).trials]

    assert tried(lm(), "poor") == tried(lm(*VERBS), "good")
    assert (Tpe(candidates=10).adaptive, Tpe(candidates=10).compared) == (False, 10)
    assert (Tpe(candidates=11).adaptive, Tpe(candidates=11).compared) == (True, 4 * 16 * 8)


def test_a_selection_that_was_asked_for_is_the_only_one_tried(suite: Suite, tmp_path: Path) -> None:
    found = compiled(suite, tmp_path, demos=4, candidates=4, selection="random")
    assert {trial.name.partition("-")[0] for trial in found.trials} == {"uncompiled", "random"}
