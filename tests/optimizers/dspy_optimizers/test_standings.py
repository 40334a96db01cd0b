"""How the programs of DSPy's optimizers stand when a budget is spent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.evals.episodes import make_task
from tests.optimizers.shop import Clerk
from worksmith.evals.suite import Suite
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.dspy_optimizers.standings import Standings

DEV = [make_task(number) for number in range(4)]


@pytest.fixture
def standings() -> Standings:
    context: Any = SimpleNamespace(budget=Budget(), dev=DEV)
    return Standings(context, lambda program: ())


def test_what_the_infrastructure_lost_is_no_wrong_answer(standings: Standings, suite: Suite) -> None:
    name = standings.enter(Clerk(suite.env))
    for task, right in zip(DEV, (True, None, True, False), strict=True):
        standings.note(name, task, right)
    (found,) = standings.contenders()
    assert found.trial.score.value == pytest.approx(2 / 3)
    assert found.trial.score.n == 3
    assert found.trial.rank.score == 0.5
    assert found.trial.errors == 1


def test_what_was_lost_at_first_counts_once_it_was_run(standings: Standings, suite: Suite) -> None:
    name = standings.enter(Clerk(suite.env))
    for task in DEV:
        standings.note(name, task, None)
        standings.note(name, task, True)
        standings.note(name, task, False)
    (found,) = standings.contenders()
    assert (found.trial.score.value, found.trial.errors) == (1.0, 0)


def test_a_program_without_all_dev_tasks_is_no_contender(standings: Standings, suite: Suite) -> None:
    name = standings.enter(Clerk(suite.env))
    for task in (*DEV[:3], make_task(9)):
        standings.note(name, task, True)
    assert standings.contenders() == []
