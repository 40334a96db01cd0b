from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.optimizers.shop import lm, make_context
from worksmith.evals.suite import Suite
from worksmith.optimizers.optimizer import Compiled
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.registry import OPTIMIZERS, optimizer

VERBS = ("Cancel", "Rename", "Shift")


def compiled(suite: Suite, folder: Path, name: str, dev: int, **settings: Any) -> Compiled:
    settings = {"demos": 6, "candidates": 2, **settings}
    work = make_context(suite, folder, teacher=lm(*VERBS), student=lm(), **settings)
    return optimizer(name).search(replace(work, dev=work.dev[:dev]))


@pytest.mark.parametrize("name", ["knn", "bootstrap"])
@pytest.mark.parametrize(("dev", "accept", "taken"), [(12, "tested", 1), (3, "tested", 0), (3, "best", 1)])
def test_every_candidate_meets_all_of_dev_and_a_test_decides(
    suite: Suite, tmp_path: Path, name: str, dev: int, accept: str, taken: bool
) -> None:
    found = compiled(suite, tmp_path, name, dev, accept=accept)
    races = {trial.name: trial.race or {} for trial in found.trials}
    if (name, accept) == ("knn", "best"):
        assert [trial.name for trial in found.trials] == [found.chosen] == ["nearest"]
        return

    assert {race["met"] for race in races.values()} == {dev}
    assert (found.chosen != INCUMBENT) == bool(found.demonstrations) == taken
    assert races[str(found.chosen)].get("accepted", False) == (dev == 12)
    optimism = races[str(found.chosen)].get("optimism")
    assert bool(optimism) == (name == "bootstrap" and taken)
    assert not optimism or optimism["corrected"] <= optimism["dev"] == found.trials[1].strict.value


def test_the_quantity_to_maximize_decides_and_not_the_outcome(suite: Suite, tmp_path: Path) -> None:
    worse = compiled(suite, tmp_path, "bootstrap", 12, maximize="1 - outcome")
    assert worse.chosen == INCUMBENT
    assert worse.trials[0].strict.value < worse.trials[1].strict.value


def test_an_optimizer_has_one_name_in_python_and_on_the_command_line() -> None:
    ours = {name: kind for name, kind in OPTIMIZERS.items() if ":" not in name and name != "none"}
    assert {name: kind.__name__.lower() for name, kind in ours.items()} == {name: name for name in ours}
